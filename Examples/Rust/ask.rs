// Asks the model, and prints the answer as it arrives.
use std::io::{stdout, BufRead, BufReader, Write};
use zbus::zvariant::{OwnedFd, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bus = zbus::blocking::Connection::session()?;
    let options = std::collections::HashMap::<&str, Value>::new();
    let reply = bus.call_method(Some("org.chappie"), "/org/chappie", Some("org.chappie.Client"), "OpenTurn", &options)?;
    let (_turn, socket): (String, OwnedFd) = reply.body().deserialize()?;
    let mut line = std::os::unix::net::UnixStream::from(std::os::fd::OwnedFd::from(socket));
    let question = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    writeln!(line, "{}", serde_json::json!({ "text": question }))?;
    for event in BufReader::new(line).lines() {
        let event: serde_json::Value = serde_json::from_str(&event?)?;
        if event["event"] == "text-delta" { print!("{}", event["text"].as_str().unwrap_or_default()); }
        if event["event"] == "completed" { return Ok(println!()); }
        if event["error"] == "org.chappie.Error.MissingCredential" { Err("Sign in first: chappie sign-in")? }
        if event["event"] == "failed" { Err(event["message"].as_str().unwrap_or_default())? }
        stdout().flush()?;
    }
    Err("The service ended before it answered.".into())
}
