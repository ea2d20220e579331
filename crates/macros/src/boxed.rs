//! The attribute `#[boxed]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Block, Error, FnArg, ImplItem, Item, Lifetime, ParenthesizedGenericArguments, Result, ReturnType,
    Signature, Type, TypeBareFn, TypeImplTrait, TypeReference, Visibility, parse_quote, visit_mut::VisitMut,
};

/// Boxes the public async functions of an `impl` block, or one async function.
pub(crate) fn boxed(item: Item) -> Result<TokenStream> {
    match item {
        Item::Fn(mut function) => {
            if function.sig.asyncness.is_none() || is_generic(&function.sig) {
                return Err(Error::new_spanned(
                    &function.sig,
                    "`boxed` takes an async function without type parameters",
                ));
            }
            make_boxed(&mut function.attrs, &mut function.sig, &mut function.block);
            Ok(quote!(#function))
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
            Ok(quote!(#block))
        }
        other => Err(Error::new_spanned(other, "`boxed` takes an `impl` block or an async function")),
    }
}

/// Whether the function has type or const parameters, named ones or `impl Trait`.
fn is_generic(function: &Signature) -> bool {
    struct Finding(bool);
    impl VisitMut for Finding {
        fn visit_type_impl_trait_mut(&mut self, _: &mut TypeImplTrait) {
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

    let has_receiver = function.receiver().is_some();
    let named: Vec<_> = function.generics.lifetimes().map(|parameter| parameter.lifetime.clone()).collect();
    let future: Lifetime = if named.is_empty() && borrows.fresh.is_empty() && !has_receiver {
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
        if has_receiver {
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
