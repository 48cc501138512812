//! A proxy between us and GitHub.

use bench_comment::{Connection, GitHub as _, Patience, Place, Rest};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

/// What a proxy is asked for, by a client that should speak to `api_url` and gets no further.
fn asked(api_url: &str, credentials: &str, no_proxy: Option<&str>) -> (Option<String>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connection = Connection {
        api_url: api_url.into(),
        graphql_url: String::new(),
        token: "t".into(),
        proxy: Some(format!("http://{credentials}{address}")),
        no_proxy: no_proxy.map(str::to_owned),
        patience: Patience { tries: 1, ..Patience::default() },
    };
    let proxy = std::thread::spawn(move || {
        let (stream, _) = listener.accept().ok()?;
        let mut head = String::new();
        let mut reader = BufReader::new(&stream);
        while reader.read_line(&mut head).ok()? > 2 {}
        (&stream).write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").ok()?;
        (!head.is_empty()).then_some(head)
    });
    let rest = Rest::new(&connection, Place::new("org/hello").unwrap()).unwrap();
    let refusal = rest.pull(7).unwrap_err().to_string();
    // Where nobody has asked the proxy, this ends its wait.
    drop(std::net::TcpStream::connect(address));
    (proxy.join().unwrap(), refusal)
}

#[test]
fn a_proxy_is_asked_for_a_tunnel_with_its_own_credentials_and_without_the_token() {
    let (head, refusal) = asked("https://github.invalid/api/v3", "user:secret@", None);
    let head = head.unwrap().to_ascii_lowercase();
    assert!(head.starts_with("connect github.invalid:443 "), "{head}");
    assert!(head.contains("proxy-authorization: basic dxnlcjpzzwnyzxq="), "{head}");
    assert!(!head.contains("bearer"), "{head}");
    assert!(refusal.contains("HTTPS_PROXY") && !refusal.contains("secret"), "{refusal}");
}

#[test]
fn a_host_that_is_excepted_is_reached_straight() {
    let (head, refusal) = asked("https://github.invalid", "", Some("other.example,github.invalid"));
    assert_eq!(head, None);
    assert!(refusal.contains("could not be reached"), "{refusal}");
}
