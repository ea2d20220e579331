//! What a context adds its operations to: a scope or application of the server, or of the OpenAPI document.

use actix_web::{
    App, Error, Scope,
    dev::{HttpServiceFactory, ServiceFactory, ServiceRequest},
};
use utoipa_actix_web::{OpenApiFactory, UtoipaApp, scope};

/// A scope or an application to which operations are added.
pub trait Services: Sized {
    /// Adds an operation.
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self;
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Services for Scope<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Services for scope::Scope<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Services for App<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}

impl<T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>> Services for UtoipaApp<T> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(self, operation: F) -> Self {
        Self::service(self, operation)
    }
}
