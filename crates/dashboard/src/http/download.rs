//! Downloads: files as they are, piece by piece, and never shown as a page.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use futures_util::stream;

use super::problem::Problem;
use super::query::{Query, encoded};
use super::respond;
use super::routes::apart;
use crate::pages::App;

const PIECE: usize = 64 << 10;

struct Opened {
    file: File,
    size: u64,
    name: String,
}

/// The file that `name` says, below the audit's folder.
pub async fn file(
    app: Arc<App>,
    place: Vec<String>,
    query: Query,
    method: Method,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    let name = query.get("name").unwrap_or_default().to_owned();
    let opened = apart(move || open(&app, &place, &name)).await?;
    let size = opened.size;
    let range = match headers.get(header::RANGE) {
        Some(range) => match asked(range, size) {
            Asked::Everything => None,
            Asked::Part(range) => Some(range),
            Asked::Nothing => return unsatisfiable(size),
        },
        None => None,
    };
    let (first, length) = match &range {
        Some(range) => (*range.start(), range.end() - range.start() + 1),
        None => (0, size),
    };
    let disposition = disposition(&opened.name);
    let body = match method == Method::HEAD {
        true => Body::empty(),
        false => pieces(opened.file, first, length),
    };
    let status = match range {
        Some(_) => StatusCode::PARTIAL_CONTENT,
        None => StatusCode::OK,
    };
    let mut response = respond::typed(status, "application/octet-stream", body);
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::CONTENT_DISPOSITION, &disposition);
    set(header::CONTENT_LENGTH, &length.to_string());
    set(header::ACCEPT_RANGES, "bytes");
    if let Some(range) = range {
        let range = format!("bytes {}-{}/{size}", range.start(), range.end());
        set(header::CONTENT_RANGE, &range);
    }
    Ok(response)
}

fn open(app: &App, place: &[String], name: &str) -> Result<Opened, Problem> {
    let folder = app.root.audit(place)?;
    let path = app.root.file(&folder, name)?;
    let broken = |error| Problem::broken(format!("{name} cannot be read: {error}"));
    // Looked at before it is opened: a pipe would keep whoever opens it waiting.
    let about = std::fs::metadata(&path).map_err(broken)?;
    if !about.is_file() {
        return Err(Problem::not_found(format!("{name} is not a file")));
    }
    let file = File::open(&path).map_err(broken)?;
    let name = name.rsplit('/').next().unwrap_or("file").to_owned();
    Ok(Opened {
        file,
        size: about.len(),
        name,
    })
}

enum Asked {
    Everything,
    Part(RangeInclusive<u64>),
    Nothing,
}

/// One range is honoured; several at once are answered with everything, as the standard allows.
fn asked(range: &HeaderValue, size: u64) -> Asked {
    let Some(spec) = range
        .to_str()
        .ok()
        .and_then(|text| text.strip_prefix("bytes="))
    else {
        return Asked::Everything;
    };
    let Some((first, last)) = spec.split_once('-').filter(|_| !spec.contains(',')) else {
        return Asked::Everything;
    };
    let (first, last) = (first.trim(), last.trim());
    let bounds = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => Some((first, last.min(size.saturating_sub(1)))),
        (Ok(first), Err(_)) if last.is_empty() => Some((first, size.saturating_sub(1))),
        (Err(_), Ok(count)) if first.is_empty() && count > 0 => {
            Some((size.saturating_sub(count), size.saturating_sub(1)))
        }
        _ => return Asked::Everything,
    };
    match bounds {
        Some((first, last)) if first < size => Asked::Part(first..=last),
        _ => Asked::Nothing,
    }
}

fn unsatisfiable(size: u64) -> Result<Response<Body>, Problem> {
    let message = format!("the file has {size} bytes");
    Err(Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, message))
}

/// Reads as fast as the visitor takes. A thread for files is held for a piece at a time, never while a
/// visitor is waited for.
fn pieces(file: File, first: u64, length: u64) -> Body {
    let rest = Rest {
        file,
        at: first,
        left: length,
    };
    Body::from_stream(stream::try_unfold(rest, next))
}

/// What is yet to be sent.
struct Rest {
    file: File,
    at: u64,
    left: u64,
}

async fn next(mut rest: Rest) -> std::io::Result<Option<(Bytes, Rest)>> {
    if rest.left == 0 {
        return Ok(None);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let piece = rest.read()?;
        Ok(Some((piece, rest)))
    });
    reading.await.map_err(std::io::Error::other)?
}

impl Rest {
    fn read(&mut self) -> std::io::Result<Bytes> {
        let mut piece = vec![0; PIECE.min(usize::try_from(self.left).unwrap_or(PIECE))];
        self.file.seek(SeekFrom::Start(self.at))?;
        let read = self.file.read(&mut piece)?;
        if read == 0 {
            // A file that shrank: the visitor sees that the answer broke off.
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        piece.truncate(read);
        self.at += read as u64;
        self.left -= read as u64;
        Ok(Bytes::from(piece))
    }
}

/// Saved, not shown; the name in two spellings, of which the plain one has no marks that matter.
fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || "-_.".contains(c) => c,
            _ => '_',
        })
        .collect();
    let exact = encoded(name);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(range: &str, size: u64) -> Option<RangeInclusive<u64>> {
        match asked(&HeaderValue::from_str(range).unwrap(), size) {
            Asked::Part(range) => Some(range),
            Asked::Everything => Some(0..=size),
            Asked::Nothing => None,
        }
    }

    #[test]
    fn ranges_are_those_of_the_standard() {
        assert_eq!(part("bytes=0-9", 100), Some(0..=9));
        assert_eq!(part("bytes=90-", 100), Some(90..=99));
        assert_eq!(part("bytes=-5", 100), Some(95..=99));
        assert_eq!(part("bytes=50-500", 100), Some(50..=99));
        assert_eq!(part("bytes=100-", 100), None);
        assert_eq!(part("bytes=-5", 0), None);
        for whole in [
            "bytes=5-2",
            "bytes=0-1,4-5",
            "lines=1-2",
            "bytes=x-",
            "bytes=-",
        ] {
            assert_eq!(part(whole, 100), Some(0..=100), "{whole}");
        }
    }

    #[test]
    fn names_cannot_leave_their_quotes() {
        let said = disposition("a\"; x=\r\n<é>.txt");
        let (plain, exact) = said.split_once("; filename*=").unwrap();
        assert_eq!(plain, "attachment; filename=\"a___x______.txt\"");
        assert_eq!(exact, "UTF-8''a%22%3B%20x%3D%0D%0A%3C%C3%A9%3E.txt");
    }
}
