mod acknowledge;
mod mentions;
mod next;
mod read;
