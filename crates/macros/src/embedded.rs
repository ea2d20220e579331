//! The macro `embedded!`.

use std::{env, fs, io, path::Path};

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, LitStr, Result};

/// The names and texts of the files `*.sql` of a folder.
pub(crate) fn embedded(folder: &LitStr) -> Result<TokenStream> {
    let failed = |error: io::Error| Error::new_spanned(folder, format!("cannot read {}: {error}", folder.value()));
    let root = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut paths = fs::read_dir(Path::new(&root).join(folder.value()))
        .and_then(|entries| entries.map(|entry| entry?.path().canonicalize()).collect::<io::Result<Vec<_>>>())
        .map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort_unstable();
    let files = paths.iter().map(|path| {
        let text = |text: Option<&std::ffi::OsStr>| {
            LitStr::new(&text.unwrap_or_default().to_string_lossy(), Span::call_site())
        };
        let (name, path) = (text(path.file_name()), text(Some(path.as_os_str())));
        quote!((#name, include_str!(#path)))
    });
    Ok(quote!(&[#(#files),*]))
}
