//! The derive `FromRow`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Result, Type, ext::IdentExt as _};

/// What `#[column(…)]` says of a field.
#[derive(Default)]
struct Column {
    name: Option<String>,
    from: Option<Type>,
    is_flat: bool,
    is_skipped: bool,
    has_default: bool,
}

impl Column {
    fn of(field: &Field) -> Result<Self> {
        let mut column = Self::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("column")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("name") {
                    column.name = Some(meta.value()?.parse::<LitStr>()?.value());
                } else if meta.path.is_ident("from") {
                    column.from = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("flat") {
                    column.is_flat = true;
                } else if meta.path.is_ident("skip") {
                    column.is_skipped = true;
                } else if meta.path.is_ident("default") {
                    column.has_default = true;
                } else {
                    return Err(meta.error("`name`, `from`, `flat`, `skip` or `default` is expected"));
                }
                Ok(())
            })?;
        }
        Ok(column)
    }
}

/// Implements `crate::database::FromRow` for a struct with named fields.
pub(crate) fn from_row(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "`FromRow` takes a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(input, "`FromRow` takes named fields"));
    };
    let mut reads = Vec::new();
    for field in &fields.named {
        let (column, name) = (Column::of(field)?, &field.ident);
        let column_name =
            column.name.clone().or_else(|| name.as_ref().map(|name| name.unraw().to_string())).unwrap_or_default();
        reads.push(match column {
            Column { is_skipped: true, .. } => quote!(#name: ::std::default::Default::default()),
            Column { is_flat: true, .. } => quote!(#name: crate::database::FromRow::from_row(row)?),
            Column { from: Some(stored), .. } => quote!(#name: row.converted::<#stored, _>(#column_name)?),
            Column { has_default: true, .. } => quote!(#name: row.get_or_default(#column_name)?),
            _ => quote!(#name: row.get(#column_name)?),
        });
    }
    let name = &input.ident;
    Ok(quote! {
        impl crate::database::FromRow for #name {
            fn from_row(row: crate::database::Row<'_>) -> ::std::result::Result<Self, crate::database::RowError> {
                ::std::result::Result::Ok(Self { #(#reads),* })
            }
        }
    })
}
