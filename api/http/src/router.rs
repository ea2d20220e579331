//! What a context adds its operations to: a scope or application of the server, or of the OpenAPI document.

use actix_web::{
    App, Error, Scope,
    dev::{HttpServiceFactory, ServiceFactory, ServiceRequest},
};
use utoipa_actix_web::{OpenApiFactory, UtoipaApp, scope};

/// A scope or an application to which operations are added.
pub trait Router: Sized {
    /// Adds an operation.
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self;
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Router for Scope<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Router for scope::Scope<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Router for App<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Router for UtoipaApp<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}
