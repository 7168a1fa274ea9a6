//! Models in training, one by one.

use base::Error;
use serde_json::json;

use super::Follower;

pub fn started(follower: &Follower<'_>, model: usize) {
    follower
        .console
        .event(&json!({"event": "model", "model": model, "state": "started"}));
}

pub fn finished(follower: &Follower<'_>, model: usize) {
    let mut stretch = follower.stretch();
    let Some(stretch) = stretch.as_mut() else {
        return;
    };
    stretch.counted += 1;
    follower.console.event(&json!({
        "event": "model", "model": model, "state": "done", "done": stretch.done(),
        "of": stretch.total,
        "models_per_minute": 60.0 * stretch.counted as f64 / stretch.seconds(),
        "seconds_left": stretch.seconds_left(),
    }));
    follower.show(stretch);
}

pub fn failed(follower: &Follower<'_>, model: usize, error: &Error, again: bool) {
    if let Some(stretch) = follower.stretch().as_mut()
        && !again
    {
        stretch.failed += 1;
    }
    let error = error.explained();
    let then = if again { "trying again" } else { "given up" };
    follower.console.event(&json!({
        "event": "model", "model": model, "state": "failed", "error": error, "again": again,
    }));
    follower.say(&format!("model {model} failed, {then}: {error}"));
}

/// How a cluster's queue stands.
pub fn queued(follower: &Follower<'_>, running: usize, waiting: usize) {
    let mut stretch = follower.stretch();
    let Some(stretch) = stretch.as_mut() else {
        return;
    };
    let now = Some((running, waiting));
    if std::mem::replace(&mut stretch.queue, now) != now {
        follower
            .console
            .event(&json!({"event": "queue", "running": running, "waiting": waiting}));
        follower.show(stretch);
    }
}
