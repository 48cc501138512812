//! Connections to GitHub, straight or through a proxy: TLS by rustls with the system's own roots.

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tower::Service;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Opens TCP connections, by `CONNECT` where a proxy is to be used for an address.
#[derive(Clone)]
pub(super) struct Dialer {
    direct: HttpConnector,
    proxies: std::sync::Arc<Matcher>,
}

/// TLS on top of it.
pub(super) type Connector = HttpsConnector<Dialer>;

/// A connector for addresses of both schemes.
///
/// # Errors
/// Where the system has no root certificates.
pub(super) fn connector(proxy: Option<&str>, no_proxy: Option<&str>) -> std::io::Result<Connector> {
    let mut direct = HttpConnector::new();
    direct.enforce_http(false);
    let proxies = Matcher::builder()
        .https(proxy.unwrap_or_default())
        .no(no_proxy.unwrap_or_default())
        .build();
    let dialer = Dialer { direct, proxies: std::sync::Arc::new(proxies) };
    let builder = HttpsConnectorBuilder::new().with_native_roots()?;
    Ok(builder.https_or_http().enable_http1().wrap_connector(dialer))
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failure>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        self.direct.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.intercept(&to) else {
            let connecting = self.direct.call(to);
            return Box::pin(async move { Ok(connecting.await?) });
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        let connecting = tunnel.call(to);
        Box::pin(async move { Ok(connecting.await?) })
    }
}
