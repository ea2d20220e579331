//! What a context adds its operations to: a scope or application of the server, or of the OpenAPI document.

use actix_web::{
    App, Error, Scope,
    dev::{HttpServiceFactory, ServiceFactory, ServiceRequest},
};
use utoipa_actix_web::{OpenApiFactory, UtoipaApp, scope::Scope as UtoipaScope};

/// A scope or an application to which operations are added.
pub trait Router: Sized {
    /// Adds an operation. Routers try operations in order.
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self;
}

macro_rules! routers {
    ($($router:ident),*) => {$(
        impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Router for $router<T> {
            fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
                Self::service(self, operation)
            }
        }
    )*};
}

routers!(App, Scope, UtoipaApp, UtoipaScope);
