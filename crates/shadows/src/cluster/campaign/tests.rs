//! Campaigns on a cluster that does as it is told.

use base::{Cancel, Event, Progress, Sink};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Mutex;

use std::path::PathBuf;

use super::*;
use crate::cluster::{Known, Refusal};
use crate::slurm::accounts;

/// One look at the queue, what the accounts say by then, and which models are there by then.
struct Scene {
    queue: Option<Vec<Task>>,
    endings: &'static str,
    done: Vec<usize>,
}

/// Plays its scenes in order, and the last one for ever.
struct Stage {
    scenes: RefCell<VecDeque<Scene>>,
    submitted: RefCell<Vec<Vec<usize>>>,
    done: RefCell<BTreeSet<usize>>,
    endings: RefCell<&'static str>,
    refusals: RefCell<VecDeque<&'static str>>,
    withdrawn: RefCell<Vec<usize>>,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(scenes: impl IntoIterator<Item = Scene>) -> Self {
        Self {
            scenes: RefCell::new(scenes.into_iter().collect()),
            submitted: RefCell::default(),
            done: RefCell::default(),
            endings: RefCell::default(),
            refusals: RefCell::default(),
            withdrawn: RefCell::default(),
            folder: tempfile::tempdir().unwrap(),
        }
    }
}

impl Cluster for Stage {
    fn system(&self) -> &'static str {
        "Slurm"
    }

    fn queue(&self) -> Result<Vec<Task>, Refusal> {
        let scene = self.scenes.borrow_mut().pop_front().expect("one more look");
        self.done.borrow_mut().extend(scene.done);
        *self.endings.borrow_mut() = scene.endings;
        scene.queue.ok_or_else(|| Refusal {
            error: Box::new(Error::new(
                ErrorKind::Setting,
                "squeue failed: Unable to contact slurm controller",
            )),
            passing: true,
        })
    }

    fn portions(&self, due: &[usize], _: Load) -> Vec<Vec<usize>> {
        match due {
            [] => Vec::new(),
            due => vec![due.to_vec()],
        }
    }

    fn submit(&self, models: &[usize]) -> Result<String, Refusal> {
        if let Some(words) = self.refusals.borrow_mut().pop_front() {
            return Err(Refusal {
                error: Box::new(Error::new(ErrorKind::Setting, words)),
                passing: words.contains("timed out"),
            });
        }
        self.submitted.borrow_mut().push(models.to_vec());
        Ok(format!("{}", 9 + self.submitted.borrow().len()))
    }

    fn submitted_as(&self, jobs: &[String]) -> String {
        format!(" as job array {}", jobs.join(", "))
    }

    fn endings(&self, job: &str, models: &[usize]) -> Vec<Known> {
        let endings = accounts(&self.endings.borrow(), job);
        models.iter().map(|&model| endings.known(model)).collect()
    }

    fn log(&self, model: usize) -> PathBuf {
        self.folder.path().join(format!("{model}.log"))
    }

    fn withdraw(&self, jobs: &[(usize, String)]) {
        let models = jobs.iter().map(|(model, _)| *model);
        self.withdrawn.borrow_mut().extend(models);
    }

    fn withdrawing(&self, jobs: &[(usize, String)]) -> Vec<String> {
        let jobs = jobs.iter().map(|(_, job)| format!("scancel {job}"));
        jobs.collect()
    }
}

/// Remembers what it was told.
#[derive(Default)]
struct Ear {
    heard: Mutex<Vec<String>>,
    stop: bool,
}

impl Ear {
    fn hear(&self, words: String) {
        self.heard.lock().unwrap().push(words);
    }
}

impl Sink for Ear {
    fn receive(&self, event: &Event<'_>) {
        match event {
            Event::ModelStarted { model } => self.hear(format!("{model} started")),
            Event::ModelFinished { model } => self.hear(format!("{model} finished")),
            Event::ModelFailed {
                model,
                error,
                again,
            } => {
                let then = if *again { "again" } else { "given up" };
                self.hear(format!("{model} {then}: {error}"));
            }
            Event::Note { text } => self.hear((*text).to_owned()),
            _ => {}
        }
    }
}

fn fight(stage: &Stage, models: &[usize], ear: &Ear) -> Result<Vec<Failure>> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let is_done = |model| stage.done.borrow().contains(&model);
    let cancel = Cancel::new();
    if ear.stop {
        cancel.request();
    }
    let progress = Progress::new(ear, &cancel);
    let mut campaign = Campaign::new(stage, &store, models, &is_done, progress).retrying(1);
    campaign.polling = PollPolicy {
        poll: Duration::ZERO,
        settling: Duration::ZERO,
        lag: Duration::ZERO,
    };
    campaign.fight()
}

fn heard(ear: &Ear) -> Vec<String> {
    ear.heard.lock().unwrap().clone()
}

fn tasks(array: &str, models: &[usize]) -> Option<Vec<Task>> {
    let task = |&model| Task {
        model,
        job: array.to_owned(),
        running: false,
        waiting: true,
        leaving: false,
        trouble: None,
    };
    Some(models.iter().map(task).collect())
}

fn scene(queue: Option<Vec<Task>>, endings: &'static str, done: &[usize]) -> Scene {
    Scene {
        queue,
        endings,
        done: done.to_vec(),
    }
}

#[test]
fn what_is_queued_or_finished_already_is_not_submitted() {
    let stage = Stage::new([
        // 2 left the queue as we looked, and its model is there.
        scene(tasks("7", &[0, 1]), "", &[2]),
        scene(tasks("7", &[]), "", &[0, 1, 3]),
    ]);
    let ear = Ear::default();
    assert!(fight(&stage, &[0, 1, 2, 3], &ear).unwrap().is_empty());
    assert_eq!(*stage.submitted.borrow(), [[3]]);
    let found = "2 models are in Slurm's queue already".to_owned();
    assert!(heard(&ear).contains(&found), "{:?}", heard(&ear));
}

#[test]
fn a_model_is_asked_for_in_the_array_that_it_was_in() {
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("10", &[1]), "10_0|FAILED|0:9", &[]),
        // 0 is in array 11 by now; 1 fails in array 10.
        scene(tasks("11", &[0]), "10_1|FAILED|7:0", &[]),
        scene(tasks("", &[]), "", &[0, 1]),
    ]);
    let ear = Ear::default();
    assert!(fight(&stage, &[0, 1], &ear).unwrap().is_empty());
    assert_eq!(*stage.submitted.borrow(), [vec![0, 1], vec![0], vec![1]]);
    assert_eq!(
        heard(&ear),
        [
            "2 models are submitted to Slurm as job array 10",
            "0 again: its task on the cluster ended as FAILED, signal 9",
            "1 model is submitted to Slurm as job array 11",
            "1 again: its task on the cluster ended as FAILED, exit code 7",
            "1 model is submitted to Slurm as job array 12",
            "0 finished",
            "1 finished",
        ]
    );
}

#[test]
fn a_model_that_an_earlier_run_submitted_is_judged_like_our_own() {
    let stage = Stage::new([
        scene(tasks("7", &[0]), "", &[]),
        scene(tasks("7", &[]), "7_0|FAILED|2:0", &[]),
        scene(tasks("10", &[]), "10_0|FAILED|2:0", &[]),
    ]);
    let failures = fight(&stage, &[0], &Ear::default()).unwrap();
    assert_eq!(*stage.submitted.borrow(), [[0]]);
    let error = &failures[0].error;
    assert!(error.contains("FAILED, exit code 2"), "{error}");
    assert!(error.contains("its node wrote no log"), "{error}");
}

#[test]
fn what_an_earlier_run_left_to_end_is_submitted_once_it_is_gone() {
    let mut leaving = tasks("7", &[0]).unwrap();
    leaving[0].leaving = true;
    let stage = Stage::new([
        scene(Some(leaving), "", &[]),
        scene(tasks("", &[]), "7_0|CANCELLED by 0|0:15", &[]),
        scene(tasks("", &[]), "", &[0]),
    ]);
    let ear = Ear::default();
    assert!(fight(&stage, &[0], &ear).unwrap().is_empty());
    assert_eq!(
        heard(&ear),
        [
            "1 model is submitted to Slurm as job array 10",
            "0 finished"
        ]
    );
}

#[test]
fn what_somebody_cancelled_stays_cancelled() {
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("", &[]), "10_[0-1%2]|CANCELLED by 0|0:0", &[]),
    ]);
    let failures = fight(&stage, &[0, 1], &Ear::default()).unwrap();
    let error = "its task on the cluster ended as CANCELLED";
    assert_eq!(failures.len(), 2);
    assert!(failures.iter().all(|failure| failure.error == error));
    assert_eq!(stage.submitted.borrow().len(), 1);
}

#[test]
fn a_waiting_task_that_its_array_no_longer_has_was_cancelled() {
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("10", &[0, 1]), "10_[0-1]|PENDING|0:0", &[]),
        scene(tasks("10", &[0]), "10_0|PENDING|0:0", &[]),
        scene(tasks("", &[]), "10_0|COMPLETED|0:0", &[0]),
    ]);
    let failures = fight(&stage, &[0, 1], &Ear::default()).unwrap();
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].model, 1);
    let error = "its task on the cluster ended as CANCELLED";
    assert_eq!(failures[0].error, error);
    assert_eq!(stage.submitted.borrow().len(), 1);
}

#[test]
fn a_task_that_was_lost_with_its_array_or_ran_is_submitted_again() {
    // Nobody knows the array any more.
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("10", &[0, 1]), "", &[]),
        scene(tasks("", &[]), "", &[]),
        scene(tasks("", &[]), "", &[0, 1]),
    ]);
    assert!(fight(&stage, &[0, 1], &Ear::default()).unwrap().is_empty());
    assert_eq!(*stage.submitted.borrow(), [[0, 1], [0, 1]]);
    // The task was seen at work.
    let mut running = tasks("10", &[0]).unwrap();
    running[0].running = true;
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("10", &[0, 1]), "", &[]),
        scene(Some(running), "10_1|COMPLETED|0:0", &[1]),
        scene(tasks("", &[]), "10_1|COMPLETED|0:0", &[]),
        scene(tasks("", &[]), "", &[0]),
    ]);
    assert!(fight(&stage, &[0, 1], &Ear::default()).unwrap().is_empty());
    assert_eq!(*stage.submitted.borrow(), [vec![0, 1], vec![0]]);
}

#[test]
fn nothing_is_submitted_again_once_the_code_is_another() {
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("", &[]), "10_0|FAILED|2:0", &[]),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let is_same = || match stage.submitted.borrow().is_empty() {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Changed, "train.py was changed")),
    };
    let ear = Ear::default();
    let cancel = Cancel::new();
    let mut campaign = Campaign::new(
        &stage,
        &store,
        &[0],
        &|_| false,
        Progress::new(&ear, &cancel),
    )
    .retrying(1)
    .provided(&is_same);
    campaign.polling = PollPolicy {
        poll: Duration::ZERO,
        settling: Duration::ZERO,
        lag: Duration::ZERO,
    };
    let error = campaign.fight().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Changed);
    assert_eq!(stage.submitted.borrow().len(), 1);
}

#[test]
fn making_room_for_others_is_no_failure() {
    let preempted = "10_0|PREEMPTED|0:0\n11_0|PREEMPTED|0:0\n12_0|PREEMPTED|0:0";
    let scenes = (0..4).map(|_| scene(tasks("", &[]), preempted, &[]));
    let stage = Stage::new(scenes.chain([scene(tasks("", &[]), "", &[0])]));
    assert!(fight(&stage, &[0], &Ear::default()).unwrap().is_empty());
    assert_eq!(stage.submitted.borrow().len(), 4);
}

#[test]
fn silence_is_waited_out_and_told_once() {
    let stage = Stage::new([
        scene(None, "", &[]),
        scene(None, "", &[]),
        scene(tasks("", &[]), "", &[]),
        scene(tasks("10", &[0]), "", &[]),
        scene(None, "", &[]),
        scene(None, "", &[0]),
    ]);
    let ear = Ear::default();
    assert!(fight(&stage, &[0], &ear).unwrap().is_empty());
    let silence =
        "Slurm does not answer, waiting: squeue failed: Unable to contact slurm controller";
    assert_eq!(
        heard(&ear),
        [
            silence,
            "Slurm answers again",
            "1 model is submitted to Slurm as job array 10",
            silence,
            "0 finished",
        ]
    );
}

#[test]
fn a_refused_submission_is_repeated_or_told() {
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("", &[]), "", &[]),
        scene(tasks("", &[]), "", &[0]),
    ]);
    stage
        .refusals
        .borrow_mut()
        .push_back("sbatch failed: Socket timed out on send/recv operation");
    assert!(fight(&stage, &[0], &Ear::default()).unwrap().is_empty());
    assert_eq!(*stage.submitted.borrow(), [[0]]);

    let stage = Stage::new([scene(tasks("", &[]), "", &[])]);
    let refusal = "sbatch failed: Invalid partition name specified";
    stage.refusals.borrow_mut().push_back(refusal);
    let error = fight(&stage, &[0], &Ear::default()).unwrap_err();
    assert!(error.to_string().starts_with(refusal), "{error}");
}

#[test]
fn an_interrupted_run_says_how_to_end_what_goes_on() {
    // A look that was interrupted with us has failed.
    let stage = Stage::new([scene(None, "", &[])]);
    let ear = Ear {
        stop: true,
        ..Ear::default()
    };
    let error = fight(&stage, &[0], &ear).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Interrupted, "interrupted")
    );

    let stage = Stage::new([scene(tasks("7", &[0]), "", &[])]);
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let cancel = Cancel::new();
    cancel.request();
    let campaign = Campaign::new(
        &stage,
        &store,
        &[0],
        &|_| false,
        Progress::new(&ear, &cancel),
    );
    let error = campaign.fight().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert!(
        error.message.contains("until you say `scancel 7`"),
        "{error}"
    );
}

#[test]
fn a_wait_that_may_not_end_is_told_once() {
    let stuck = || {
        let mut stuck = tasks("10", &[0]).unwrap();
        stuck[0].trouble = Some("PartitionConfig".into());
        scene(Some(stuck), "", &[])
    };
    let stage = Stage::new([stuck(), stuck(), scene(tasks("", &[]), "", &[0])]);
    let ear = Ear::default();
    fight(&stage, &[0], &ear).unwrap();
    let told = heard(&ear);
    let troubles = told
        .iter()
        .filter(|words| words.contains("PartitionConfig"));
    assert_eq!(troubles.count(), 1, "{told:?}");
}

#[test]
fn where_the_first_all_fail_alike_the_others_are_taken_back() {
    let failed = "10_0|FAILED|1:0\n10_1|FAILED|1:0";
    let again = "11_0|FAILED|1:0\n11_1|FAILED|1:0";
    let stage = Stage::new([
        scene(tasks("", &[]), "", &[]),
        scene(tasks("10", &[2, 3]), failed, &[]),
        scene(tasks("10", &[2, 3]), again, &[]),
    ]);
    let failures = fight(&stage, &[0, 1, 2, 3], &Ear::default()).unwrap();
    let failed: Vec<usize> = failures.iter().map(|failure| failure.model).collect();
    assert_eq!(failed, [0, 1]);
    assert_eq!(*stage.withdrawn.borrow(), [2, 3]);
}
