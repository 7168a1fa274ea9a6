//! The wish to stop: asked by one side, heard by all work, at once and without looking again and
//! again.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Asked for once, and for good.
#[derive(Debug, Default)]
pub struct Cancel {
    requested: AtomicBool,
    /// Whom to tell; threads wait under the condition.
    listeners: Mutex<Listeners>,
    changed: Condvar,
}

#[derive(Debug)]
struct Listeners {
    wakers: Vec<Waker>,
    children: Vec<Weak<Cancel>>,
}

impl Default for Listeners {
    fn default() -> Self {
        Self::new()
    }
}

impl Listeners {
    const fn new() -> Self {
        Self {
            wakers: Vec::new(),
            children: Vec::new(),
        }
    }
}

impl Cancel {
    pub const fn new() -> Self {
        Self {
            requested: AtomicBool::new(false),
            listeners: Mutex::new(Listeners::new()),
            changed: Condvar::new(),
        }
    }

    /// Asks all work to stop. Whether it was asked for before comes back.
    pub fn request(&self) -> bool {
        let mut listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = self.requested.swap(true, Ordering::SeqCst);
        let Listeners { wakers, children } = std::mem::take(&mut *listeners);
        drop(listeners);
        wakers.into_iter().for_each(Waker::wake);
        for child in children.iter().filter_map(Weak::upgrade) {
            child.request();
        }
        self.changed.notify_all();
        before
    }

    /// A token for a part of the work: asked to stop with the whole, or by itself.
    pub fn child(&self) -> Arc<Cancel> {
        let child = Arc::new(Cancel::new());
        let mut listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match self.requested() {
            true => {
                child.request();
            }
            false => listeners.children.push(Arc::downgrade(&child)),
        }
        child
    }

    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Waits for so long, or until somebody asks to stop: whether somebody did.
    pub fn wait(&self, time: Duration) -> bool {
        let guard = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(guard, time, |_| !self.requested());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.requested()
    }

    /// Ready once somebody asks to stop.
    pub fn cancelled(&self) -> Cancelled<'_> {
        Cancelled(self)
    }
}

/// See [`Cancel::cancelled`].
pub struct Cancelled<'a>(&'a Cancel);

impl Future for Cancelled<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let cancel = self.0;
        let mut listeners = cancel
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if cancel.requested() {
            return Poll::Ready(());
        }
        let wakers = &mut listeners.wakers;
        if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::task::Wake;
    use std::thread;

    use super::*;

    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn threads_and_futures_wake_when_it_is_asked_for() {
        let cancel = Cancel::new();
        assert!(!cancel.wait(Duration::from_millis(1)));
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        let mut future = cancel.cancelled();
        assert!(Pin::new(&mut future).poll(&mut context).is_pending());
        thread::scope(|scope| {
            // Ends because it is woken: nobody would wait for the hour.
            let waiting = scope.spawn(|| cancel.wait(Duration::from_secs(3600)));
            assert!(!cancel.request(), "not before");
            assert!(waiting.join().unwrap());
        });
        assert!(woken.0.load(Ordering::SeqCst));
        assert!(Pin::new(&mut future).poll(&mut context).is_ready());
        assert!(cancel.request(), "once and for good");
    }

    #[test]
    fn a_part_stops_with_the_whole_and_the_whole_not_with_a_part() {
        let whole = Cancel::new();
        let (one, other) = (whole.child(), whole.child());
        one.request();
        assert!(one.requested() && !other.requested() && !whole.requested());
        whole.request();
        assert!(other.requested() && whole.child().requested());
    }
}
