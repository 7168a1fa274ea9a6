//! Functions of Python that answer questions. The audit puts questions on a desk; threads of Python take
//! them from there, and lay answers back.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use asking::rag::{Call, Callee, FailureKind, Trouble};
use guestlist::kinds::rag::{Config, run_function};
use guestlist::pipeline::RunOptions;
use pyo3::prelude::*;

use crate::errors::Outcome;
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::{Audit, Finished};

/// Where questions wait.
#[pyclass(frozen)]
pub struct Desk {
    state: Arc<State>,
    /// What the functions are called: with retrieval, and without.
    names: (String, Option<String>),
}

#[derive(Default)]
struct State {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    waiting: VecDeque<(bool, Call)>,
    taken: HashMap<u64, Call>,
    next: u64,
    closed: bool,
}

impl State {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next question that somebody still waits for; nothing once the audit is over.
    fn take(&self) -> Option<(u64, bool, String)> {
        let mut table = self.table();
        loop {
            if table.closed {
                return None;
            }
            match table.waiting.pop_front() {
                Some((_, call)) if !call.is_awaited() => {}
                Some((without, call)) => {
                    let id = table.next;
                    table.next += 1;
                    let question = call.query().to_owned();
                    table.taken.insert(id, call);
                    return Some((id, without, question));
                }
                None => {
                    let waited = self.changed.wait(table);
                    table = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn close(&self) {
        let mut table = self.table();
        table.closed = true;
        table.waiting.clear();
        table.taken.clear();
        self.changed.notify_all();
    }
}

/// However the audit ends, nobody must wait for questions any more.
struct CloseWhenDropped<'a>(&'a State);

impl Drop for CloseWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// One function.
struct Function {
    state: Arc<State>,
    without: bool,
    name: String,
}

impl Callee for Function {
    fn about(&self) -> String {
        format!("the function {}", self.name)
    }

    // Not by its name: whoever moves a function does not want to pay twice, and an answer of another one is
    // found out by asking some again.
    fn address(&self) -> String {
        "function:".to_owned()
    }

    fn put(&self, call: Call) {
        let mut table = self.state.table();
        if !table.closed {
            table.waiting.push_back((self.without, call));
            self.state.changed.notify_one();
        }
    }
}

#[pymethods]
impl Desk {
    #[new]
    fn new(name: String, without: Option<String>) -> Self {
        Self {
            state: Arc::default(),
            names: (name, without),
        }
    }

    /// Waits for a question: its number, whether it is to be answered without retrieval, and itself.
    fn take(&self, py: Python<'_>) -> Option<(u64, bool, String)> {
        py.detach(|| self.state.take())
    }

    /// Lays back an answer, as JSON.
    fn answer(&self, id: u64, body: String) {
        if let Some(call) = self.state.table().taken.remove(&id) {
            call.answer(body.into_bytes());
        }
    }

    /// Says why there is none: the function failed, or what it returned is no answer.
    fn fail(&self, id: u64, failed: bool, message: String, hint: String) {
        let kind = match failed {
            true => FailureKind::ServerError,
            false => FailureKind::Schema,
        };
        if let Some(call) = self.state.table().taken.remove(&id) {
            call.fail(Trouble {
                kind,
                message,
                hint,
                passing: true,
            });
        }
    }

    /// The audit, while others take questions. Nobody can take any once this returns.
    fn run<'py>(
        &self,
        py: Python<'py>,
        config: &str,
        options: &str,
        listener: Listener<'py>,
    ) -> Outcome<Finished> {
        let _close = CloseWhenDropped(&self.state);
        let config: Config = options::request(config)?;
        let options: RunOptions = options::request(options)?;
        let function = |without, name: &String| -> Arc<dyn Callee> {
            Arc::new(Function {
                state: self.state.clone(),
                without,
                name: name.clone(),
            })
        };
        let on = function(false, &self.names.0);
        let off = self.names.1.as_ref().map(|name| function(true, name));
        let finished = follow(py, &listener, move |progress| {
            run_function(on, off, config, &options, progress)
        })?;
        Ok(Audit::left(finished))
    }
}
