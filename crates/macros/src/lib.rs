//! Attributes and derives of the workspace.

mod boxed;
mod embedded;
mod from_row;
mod query;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, Item, LitStr, parse_macro_input};

/// Makes the public async functions of an `impl` block, or one async function, return
/// [`BoxFuture`](https://docs.rs/futures-util/latest/futures_util/future/type.BoxFuture.html): `pub async fn f(&self, id: &str) -> T`
/// becomes `pub fn f<'a>(&'a self, id: &'a str) -> BoxFuture<'a, T>`, with one lifetime for each borrow. The crate needs
/// `futures_util`.
///
/// The state machine of an `async fn` is compiled in every crate that awaits it, with all that it awaits itself. That of a boxed
/// future is compiled in its own crate only: its callers know the type of its output. The price is one allocation for each call.
/// Functions with type parameters are compiled where they are called in any case, so they are left alone in an `impl` block.
///
/// # Errors
///
/// Refuses other items, and single functions that are not async or have type parameters.
#[proc_macro_attribute]
pub fn boxed(_: TokenStream, item: TokenStream) -> TokenStream {
    boxed::boxed(parse_macro_input!(item as Item)).unwrap_or_else(Error::into_compile_error).into()
}

/// Reads a struct from a row of the store's database, each field from the column of its name.
///
/// - `#[column(name = "type")]`: from another column.
/// - `#[column(from = String)]`: through `TryFrom<String>`; a value that it refuses is a damaged row.
/// - `#[column(flat)]`: a struct with columns of its own, in the same row.
/// - `#[column(default)]`: the default, where the statement does not select the column.
/// - `#[column(skip)]`: the default, from no column.
///
/// # Errors
///
/// Refuses enums, tuples and other attributes.
#[proc_macro_derive(FromRow, attributes(column))]
pub fn from_row(input: TokenStream) -> TokenStream {
    from_row::from_row(&parse_macro_input!(input as DeriveInput)).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes a struct the query parameters of an operation: what the handler gets, what errors say, and what the OpenAPI document says.
///
/// A field is a parameter, in camel case; its documentation comment is the description. Its type (`buildtrack_http::query::Value`) reads
/// the text and has the schema. A parameter that was not sent is `None`, or the type's default.
///
/// - `#[query(name = "max_price")]`: another name.
/// - `#[query(example = 50)]`: an example for the document.
/// - `#[query(required)]`: the document demands it. The handler refuses the default.
/// - `#[query(flat)]`: a struct with parameters of its own.
///
/// # Errors
///
/// Refuses enums, tuples, parameters without a description, and other attributes.
#[proc_macro_derive(Query, attributes(query))]
pub fn query(input: TokenStream) -> TokenStream {
    query::query(&parse_macro_input!(input as DeriveInput)).unwrap_or_else(Error::into_compile_error).into()
}

/// The files `*.sql` of a folder, which is relative to the crate's, in the order of their names: `&[(&str, &str)]`, names and texts.
///
/// # Errors
///
/// Refuses a folder that it cannot read.
#[proc_macro]
pub fn embedded(folder: TokenStream) -> TokenStream {
    embedded::embedded(&parse_macro_input!(folder as LitStr)).unwrap_or_else(Error::into_compile_error).into()
}
