//! Following a track: its events as they happen, also after a broken connection. **Invariant:** no event is left out without a line that
//! says so, and none is shown twice.

use std::ops::ControlFlow;

use clap::Args;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    addresses::id,
    client::{Client, Options, decode},
    display::{in_one_line, member},
    events::{Frame, Frames},
    failure::Failure,
};

/// Follows the events of a track as they happen.
#[derive(Debug, Args)]
pub struct Watch {
    /// The track: `ws_…`
    #[arg(value_parser = id)]
    track: String,
    /// Begins behind this position of the log [default: now]
    #[arg(long, value_name = "POSITION")]
    after: Option<u64>,
    /// Only these types, such as `message.*`; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Ends after this many events
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What has been shown of a stream.
#[derive(Debug)]
struct Progress {
    /// The last position that was shown, or that the stream has passed.
    position: u64,
    /// The events to show; `None` without an end.
    left: Option<u64>,
    /// The connections in a row that brought nothing.
    failures: u32,
}

impl Watch {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let path = format!("/api/v1/workspaces/{}/live", self.track);
        let types = (!self.types.is_empty()).then(|| self.types.join(","));
        let query: Vec<_> = types.into_iter().map(|types| ("types", types)).collect();
        // A stream that breaks before its first event continues where it began.
        let position = match self.after {
            Some(position) => position,
            None => client.end_of_log().await?,
        };
        let mut progress = Progress { position, left: self.count, failures: 0 };
        client.output.note(&format!("Following {} behind position {position}. Ctrl-C ends it.", self.track));
        while progress.left != Some(0) {
            let read = read_stream(client, &path, &query, &mut progress).await;
            let transport = client.transport();
            let wait = match read {
                Ok(ControlFlow::Break(())) => return Ok(()),
                Ok(ControlFlow::Continue(())) => transport.pause(progress.failures),
                Err(failure) => transport.wait(&failure, true, progress.failures).ok_or(failure)?,
            };
            client.output.progress("The stream continues soon.");
            sleep(wait).await;
            progress.failures += 1;
        }
        Ok(())
    }
}

/// Shows the events of one connection. Breaks after the last event that is to be shown.
async fn read_stream(
    client: &mut Client<'_>,
    path: &str,
    query: &[(&'static str, String)],
    progress: &mut Progress,
) -> Result<ControlFlow<()>, Failure> {
    let mut answer = client.stream(path, query, progress.position).await?;
    let mut frames = Frames::default();
    loop {
        let piece = answer.chunk().await.map_err(|error| client.transport().unreachable(error))?;
        let Some(piece) = piece else { return Ok(ControlFlow::Continue(())) };
        for frame in frames.push(&piece)? {
            progress.failures = 0;
            if frame.event == "end" {
                return Ok(ControlFlow::Continue(()));
            }
            let is_event = !frame.data.is_empty();
            // Behind this gap the stream ends; the next one has what is missing.
            if frame.event == "gap" && frame.data.contains("too_slow") {
                return Ok(ControlFlow::Continue(()));
            }
            if is_event {
                show(client, &frame)?;
            }
            progress.position = frame.id.unwrap_or(progress.position);
            if is_event && let Some(left) = &mut progress.left {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }
}

fn show(client: &Client<'_>, frame: &Frame) -> Result<(), Failure> {
    let event: Value = decode(&frame.data)?;
    if frame.event == "gap" {
        let text = || format!("The server leaves out events: {}", in_one_line(&frame.data));
        return client.output.show(&json!({ "gap": event }), text);
    }
    client.output.show(&event, || {
        let position = client.output.faint(&format!("#{}", member(&event, "/position")));
        format!("{position} {} {}", client.output.bold(&member(&event, "/type")), summary(&event))
    })
}

/// The actor of an event, and its text in one line.
fn summary(event: &Value) -> String {
    let parsed =
        |name: &str| event.get(name).and_then(Value::as_str).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let data = parsed("data").unwrap_or_default();
    let metadata = parsed("metadata").unwrap_or_default();
    let names = ["/author/name", "/owner/name", "/member/name", "/actor/name"];
    let named = names.iter().map(|pointer| member(&data, pointer)).find(|name| !name.is_empty());
    let actor = named.unwrap_or_else(|| member(&metadata, "/actor"));
    let texts = ["/content", "/name", "/note", "/role", "/messageId"];
    let text = texts.iter().map(|pointer| member(&data, pointer)).find(|text| !text.is_empty());
    let line = [actor, member(&data, "/kind"), text.unwrap_or_default()];
    in_one_line(&line.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_summed_up_in_one_line() {
        let event = json!({
            "data": r#"{"author": {"name": "Scout"}, "kind": "update", "content": "It\nworks."}"#,
            "metadata": r#"{"actor": "ag_1"}"#,
        });
        assert_eq!(summary(&event), "Scout · update · It works.");
        assert_eq!(summary(&json!({ "data": null, "metadata": r#"{"actor": "ag_1"}"# })), "ag_1");
    }
}
