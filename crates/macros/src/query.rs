//! The derive `Query`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, GenericArgument, Lit, LitStr, Meta, PathArguments, Result,
    Type, ext::IdentExt as _,
};

/// What a field says of its parameter.
struct Parameter {
    name: String,
    description: String,
    example: Option<Expr>,
    is_flat: bool,
    is_required: bool,
}

impl Parameter {
    fn of(field: &Field) -> Result<Self> {
        let ident = field.ident.as_ref().map(|name| name.unraw().to_string()).unwrap_or_default();
        let mut parameter = Self {
            name: camel_case(&ident),
            description: description(field),
            example: None,
            is_flat: false,
            is_required: false,
        };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("query")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("name") {
                    parameter.name = meta.value()?.parse::<LitStr>()?.value();
                } else if meta.path.is_ident("example") {
                    parameter.example = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("flat") {
                    parameter.is_flat = true;
                } else if meta.path.is_ident("required") {
                    parameter.is_required = true;
                } else {
                    return Err(meta.error("`name`, `example`, `flat` or `required` is expected"));
                }
                Ok(())
            })?;
        }
        if !parameter.is_flat && parameter.description.is_empty() {
            return Err(Error::new_spanned(field, "a parameter has a description: a documentation comment"));
        }
        Ok(parameter)
    }
}

/// The documentation comment of a field, as one line.
fn description(field: &Field) -> String {
    let lines = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines = lines.filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(value) => match &value.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// `reply_to` as `replyTo`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_uppercase() + rest
    })
}

/// The type within `Option<…>`.
fn optional(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

/// Implements `buildtrack_http::query::Query` for a struct with named fields, which extracts and documents it, too.
pub(crate) fn query(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "`Query` takes a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(input, "`Query` takes named fields"));
    };
    let (mut names, mut reads, mut described) = (Vec::new(), Vec::new(), Vec::new());
    for field in &fields.named {
        let (parameter, ident, kind) = (Parameter::of(field)?, &field.ident, &field.ty);
        if parameter.is_flat {
            names.push(quote!(<#kind as ::buildtrack_http::query::Query>::names(names);));
            reads.push(quote!(#ident: <#kind as ::buildtrack_http::query::Query>::read(parameters)));
            described.push(quote!(<#kind as ::buildtrack_http::query::Query>::describe(described);));
            continue;
        }
        let Parameter { name, description, example, is_required, .. } = parameter;
        let (value, missing) = match optional(kind) {
            Some(value) => (value, quote!()),
            None => (kind, quote!(.unwrap_or_default())),
        };
        let example = example.map_or_else(
            || quote!(::std::option::Option::None),
            |example| quote!(::std::option::Option::Some(#example.into())),
        );
        names.push(quote!(names.push(#name);));
        reads.push(quote!(#ident: <#value as ::buildtrack_http::query::Value>::read(parameters, #name)#missing));
        described.push(quote! {
            described.push(::buildtrack_http::query::described::<#value>(#name, #is_required, #description, #example));
        });
    }
    let name = &input.ident;
    Ok(quote! {
        impl ::buildtrack_http::query::Query for #name {
            fn names(names: &mut ::std::vec::Vec<&'static str>) {
                #(#names)*
            }

            fn read(parameters: &mut ::buildtrack_http::query::Parameters) -> Self {
                Self { #(#reads),* }
            }

            fn describe(described: &mut ::std::vec::Vec<::utoipa::openapi::path::Parameter>) {
                #(#described)*
            }
        }

        ::buildtrack_http::extracted_query! { #name }
    })
}
