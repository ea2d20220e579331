//! `#[boxed]`: the body of an async function is compiled in its own crate only.
//!
//! The state machine of an `async fn` is compiled in every crate that awaits it, with all that it awaits itself. A function that
//! returns a boxed future is called like any other: its callers know only the type of its output. One allocation for each call
//! is the price.

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Block, Error, FnArg, ImplItem, Item, Lifetime, ParenthesizedGenericArguments, ReturnType, Signature,
    Type, TypeBareFn, TypeReference, Visibility, parse_macro_input, parse_quote, visit_mut::VisitMut,
};

/// Makes the public async functions of an `impl` block, or one async function, return
/// [`BoxFuture`](https://docs.rs/futures-util/latest/futures_util/future/type.BoxFuture.html): `pub async fn f(&self, id: &str) -> T`
/// becomes `pub fn f<'a>(&'a self, id: &'a str) -> BoxFuture<'a, T>`, with one lifetime for each borrow. The crate needs
/// `futures_util`. Functions with type parameters are compiled where they are called in any case, so they are refused in front of
/// `fn`, and left alone in an `impl` block.
///
/// # Errors
///
/// Refuses other items, and functions that are not async.
#[proc_macro_attribute]
pub fn boxed(_: TokenStream, item: TokenStream) -> TokenStream {
    match parse_macro_input!(item as Item) {
        Item::Fn(mut function) => {
            if function.sig.asyncness.is_none() || is_generic(&function.sig) {
                let refused =
                    Error::new_spanned(&function.sig, "`boxed` takes an async function without type parameters");
                return refused.into_compile_error().into();
            }
            make_boxed(&mut function.attrs, &mut function.sig, &mut function.block);
            quote!(#function).into()
        }
        Item::Impl(mut block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(function) = item
                    && matches!(function.vis, Visibility::Public(_))
                    && function.sig.asyncness.is_some()
                    && !is_generic(&function.sig)
                {
                    make_boxed(&mut function.attrs, &mut function.sig, &mut function.block);
                }
            }
            quote!(#block).into()
        }
        other => {
            Error::new_spanned(other, "`boxed` takes an `impl` block or an async function").into_compile_error().into()
        }
    }
}

/// Whether the function has type or const parameters, named ones or `impl Trait`.
fn is_generic(function: &Signature) -> bool {
    struct Finding(bool);
    impl VisitMut for Finding {
        fn visit_type_impl_trait_mut(&mut self, _: &mut syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut finding = Finding(false);
    function.inputs.clone().iter_mut().for_each(|input| finding.visit_fn_arg_mut(input));
    finding.0 || function.generics.type_params().next().is_some() || function.generics.const_params().next().is_some()
}

fn make_boxed(attributes: &mut Vec<Attribute>, function: &mut Signature, body: &mut Block) {
    let mut borrows = Borrows { receiver: None, fresh: Vec::new() };
    function.inputs.iter_mut().for_each(|input| borrows.visit_fn_arg_mut(input));
    let mut output: Type = match &function.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, output) => (**output).clone(),
    };
    // Elision in an output: the receiver's lifetime, or the only one.
    let elided = borrows.receiver.clone().or_else(|| borrows.fresh.first().cloned());
    Elided(elided).visit_type_mut(&mut output);

    let named: Vec<_> = function.generics.lifetimes().map(|parameter| parameter.lifetime.clone()).collect();
    let future: Lifetime = if named.is_empty() && borrows.fresh.is_empty() && !borrows.has_self(function) {
        parse_quote!('static)
    } else {
        let future: Lifetime = parse_quote!('future);
        let bounded: Vec<_> = named.iter().chain(&borrows.fresh).cloned().collect();
        for fresh in &borrows.fresh {
            function.generics.params.push(parse_quote!(#fresh));
        }
        function.generics.params.push(parse_quote!(#future));
        let bounds = function.generics.make_where_clause();
        for lifetime in bounded {
            bounds.predicates.push(parse_quote!(#lifetime: #future));
        }
        if borrows.has_self(function) {
            bounds.predicates.push(parse_quote!(Self: #future));
        }
        future
    };
    function.asyncness = None;
    function.output = parse_quote!(-> ::futures_util::future::BoxFuture<#future, #output>);
    // A short function would be compiled again in its callers' crates, with the future's body.
    attributes.push(parse_quote!(#[inline(never)]));
    *body = parse_quote!({ ::std::boxed::Box::pin(async move #body) });
}

/// Gives each borrow of the parameters a lifetime with a name.
struct Borrows {
    receiver: Option<Lifetime>,
    fresh: Vec<Lifetime>,
}

impl Borrows {
    fn fresh(&mut self) -> Lifetime {
        let name = format_ident!("b{}", self.fresh.len());
        let lifetime = Lifetime::new(&format!("'{name}"), name.span());
        self.fresh.push(lifetime.clone());
        lifetime
    }

    fn has_self(&self, function: &Signature) -> bool {
        function.receiver().is_some()
    }
}

impl VisitMut for Borrows {
    fn visit_fn_arg_mut(&mut self, argument: &mut FnArg) {
        let FnArg::Receiver(receiver) = argument else { return syn::visit_mut::visit_fn_arg_mut(self, argument) };
        if let Some((_, lifetime)) = &mut receiver.reference {
            let lifetime = lifetime.get_or_insert_with(|| self.fresh()).clone();
            // syn keeps the type beside the short form.
            if let Type::Reference(reference) = &mut *receiver.ty {
                reference.lifetime = Some(lifetime.clone());
            }
            self.receiver = Some(lifetime);
        }
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.fresh());
        }
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.fresh();
        }
    }

    // Elision within the parameters of a function type has a scope of its own.
    fn visit_type_bare_fn_mut(&mut self, _: &mut TypeBareFn) {}
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
}

/// Names the elided lifetimes of an output.
struct Elided(Option<Lifetime>);

impl VisitMut for Elided {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime.clone_from(&self.0);
        }
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if let Some(named) = self.0.clone().filter(|_| lifetime.ident == "_") {
            *lifetime = named;
        }
    }

    fn visit_type_bare_fn_mut(&mut self, _: &mut TypeBareFn) {}
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
}
