//! The thread that creates the sandbox's processes.
//!
//! The kernel kills a process with the *thread* that created it (`PR_SET_PDEATHSIG`), and an async runtime may end its
//! threads at any time. So a thread of the sandbox's own creates all of them: they end with the server, however that ends.

use std::{io, sync::mpsc, thread};

use tokio::{
    process::{Child, Command},
    runtime::Handle,
    sync::oneshot,
};

type Job = Box<dyn FnOnce() + Send>;

/// Ends its thread, and with it all processes, when the last copy is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Spawner(mpsc::Sender<Job>);

impl Spawner {
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, jobs) = mpsc::channel::<Job>();
        thread::Builder::new().name("sandbox".to_owned()).spawn(move || jobs.into_iter().for_each(|job| job()))?;
        Ok(Self(sender))
    }

    /// Creates a process, which belongs to the runtime of the caller.
    pub(crate) async fn spawn(&self, mut command: Command) -> io::Result<Child> {
        let (sender, spawned) = oneshot::channel();
        let runtime = Handle::current();
        let job = move || {
            let _runtime = runtime.enter();
            // If the caller has gone, the process is dropped, which kills it.
            let _ = sender.send(command.spawn());
        };
        let ended = |()| io::Error::other("the thread that starts processes has ended");
        self.0.send(Box::new(job)).map_err(|_| ended(()))?;
        spawned.await.map_err(|_| ended(()))?
    }
}
