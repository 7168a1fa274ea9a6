//! The audit of scores that were made elsewhere: nothing is attacked, only judged.

mod doubts;

use attacks::scores::Scores;
use base::Progress;
use formats::ids::Ids;
use formats::left_out::LeftOut;
use judge::Truth;
use judge::attacker::Attacker;
use judge::guardrails::{self, Evidence};
use report::{Data, Detail, Provenance, Report};

use crate::Error;
use crate::pipeline::canaries::ids_of;
use crate::pipeline::columns::refuse_doubted;
use crate::pipeline::persons::repeated_ids;
use crate::pipeline::skipped::{Attacked, first_reason, one_sided};
use crate::pipeline::{Audit, AuditContext, AuditOptions, Calling, SealedCanaries};

const WHO: &str = "has the scores that were given, and no better attack";

/// Scores by the name of their column.
pub type Columns = Vec<(String, Scores)>;

/// Scores by the name of the attack, with the truth. Larger means more likely a member.
pub struct ScoresRequest {
    pub scores: Columns,
    /// Nothing where nobody knows.
    pub members: Vec<Option<bool>>,
    pub ids: Option<Ids>,
    /// Canaries, whose coins are the truth.
    pub canaries: Option<SealedCanaries>,
    pub context: AuditContext,
    /// What the scores came from, for the report.
    pub format: &'static str,
    /// The file that they came from; nothing where a program holds them.
    pub input: Option<std::path::PathBuf>,
}

impl ScoresRequest {
    /// Judges and reports. Guardrails that look at signals have nothing to look at; those that look
    /// at scores apply.
    pub fn run(mut self, progress: Progress<'_>) -> Result<Audit, Error> {
        self.open_canaries()?;
        let truth = Truth::partly(self.members.iter().copied())?;
        let (scores, skipped) = self.checked(&truth)?;
        let mut judged = self.context.judge(&scores, &truth, progress)?;
        judged.attacker = Some(Attacker::strongest(WHO));
        let unnamed = judged.slice(&self.context, &scores, &truth, |_| None)?;
        let joined = judged.joined(&self.context, &scores)?;
        let guardrails = guardrails::check(&Evidence {
            joined: joined.as_ref(),
            repeated_ids: repeated_ids(self.ids.as_ref(), &truth),
            ..judged.evidence(&self.context)
        });
        let detail = Detail::Scores(report::Scores {});
        let provenance = self.provenance(&judged.truth);
        let report = Report {
            skipped,
            notes: [self.context.notes.clone(), unnamed].concat(),
            ..judged.report(&self.context, guardrails, detail, provenance)
        };
        let audit = Audit::new(
            self.context.show_records,
            report,
            scores,
            self.members,
            self.ids,
            None,
        );
        Ok(audit.calling(&Calling {
            context: &self.context,
            learnt: &[],
            preferred: &[],
            known: None,
        }))
    }

    /// Who was included, now that scores are there.
    fn open_canaries(&mut self) -> Result<(), Error> {
        let Some(sealed) = &self.canaries else {
            return Ok(());
        };
        let (members, canaries) = sealed.open(ids_of(self.ids.as_ref())?, &self.members)?;
        self.members = members;
        self.context.set_canaries(canaries);
        Ok(())
    }

    /// Scores of both kinds of records, under names that can be shown.
    fn checked(&mut self, truth: &Truth) -> Result<Attacked, Error> {
        for (name, scores) in &self.scores {
            check_name(name)?;
            if scores.len() != truth.len() {
                return Err(Error::usage(
                    format!(
                        "{name} has {} scores for {} records",
                        scores.len(),
                        truth.len()
                    ),
                    "give one score per record, in the same order",
                ));
            }
        }
        if let Some(ids) = self.ids.as_ref().filter(|ids| ids.len() != truth.len()) {
            return Err(Error::usage(
                format!("{} ids for {} records", ids.len(), truth.len()),
                "give one id per record, in the same order",
            ));
        }
        let given = std::mem::take(&mut self.scores);
        let (scores, skipped) = one_sided((given, Vec::new()), truth);
        match scores.is_empty() {
            false => Ok((scores, skipped)),
            true => Err(Error::usage(
                format!("no scores can be judged: {}", first_reason(&skipped)),
                "give scores of members and of non-members",
            )),
        }
    }

    fn provenance(&self, judged: &Truth) -> Provenance {
        let data = Data {
            format: self.format.into(),
            records: self.members.len(),
            judged_records: judged.members() + judged.nonmembers(),
            judged_members: judged.members(),
        };
        self.context.provenance::<super::Scores>(data)
    }
}

/// What a table holds: columns of numbers, and those of other things.
pub struct Given<'a> {
    pub columns: Columns,
    pub others: Vec<LeftOut>,
    pub members: &'a [Option<bool>],
}

impl Given<'_> {
    /// The columns that were named, or every one where none was and all look like scores; what is to be said of
    /// them goes into the context. What records are cut by, and whose they are, is no score, though it may be a number.
    pub fn chosen(
        mut self,
        context: &mut AuditContext,
        options: &AuditOptions,
    ) -> Result<Columns, Error> {
        let taken = |name: &str| context.takes(name) || options.group.as_deref() == Some(name);
        self.columns.retain(|(name, _)| !taken(name));
        self.others.retain(|other| !taken(&other.name));
        let members = self.members;
        let chosen = match options.attacks.as_str() {
            "all" => {
                let others = std::mem::take(&mut self.others);
                let chosen = self.all_scores(&others, options)?;
                context.tell_left_out(&others);
                chosen
            }
            // Whoever names the scores knows of the others that they are none.
            names => self.named(names, options)?,
        };
        context.notes.extend(doubts::remarks(&chosen, members));
        Ok(chosen)
    }

    /// Every column, unless one looks like no score, or one of the others like one.
    fn all_scores(self, others: &[LeftOut], options: &AuditOptions) -> Result<Columns, Error> {
        let doubts = doubts::doubts(&self.columns, self.members);
        let people = doubts::people(others);
        let doubted = |name: &String| doubts.iter().any(|(doubted, _)| doubted == name);
        let left = self.columns.iter().map(|(name, _)| name);
        let left: Vec<&str> = left
            .filter(|name| !doubted(name))
            .map(String::as_str)
            .collect();
        let hint = match left.as_slice() {
            [] => {
                "give a column of scores per attack: larger means more likely a member".to_owned()
            }
            left => format!("name the columns that are scores: {}", options.naming(left)),
        };
        if doubts.is_empty() && people.is_empty() {
            refuse_doubted(others, &format!("or, if it holds none, {hint}"))?;
            return Ok(self.columns);
        }
        let whys = doubts.iter().chain(&people);
        let whys: Vec<String> = whys
            .map(|(name, why)| format!("column {name} {why}"))
            .collect();
        let what = match doubts.is_empty() {
            false => "not every column of numbers is a score",
            true => "not every column is a score",
        };
        let message = format!("{what}: {}", whys.join("; "));
        Err(Error::usage(message, hint))
    }

    fn named(self, names: &str, options: &AuditOptions) -> Result<Columns, Error> {
        let names = names.split(',').map(str::trim);
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let there: Vec<&str> = (self.columns.iter())
            .map(|(name, _)| name.as_str())
            .collect();
        let choose = || format!("choose among {}", there.join(", "));
        if let Some(unknown) = names.iter().find(|name| !there.contains(name)) {
            let attacks = options.name("attacks");
            if let Some(other) = self.others.iter().find(|other| other.name == **unknown) {
                refuse_doubted(std::slice::from_ref(other), &choose())
                    .map_err(|error| error.within(&attacks))?;
                let holds = &other.holds;
                let message =
                    format!("{attacks}: column {unknown} holds {holds}, which are no scores");
                return Err(Error::usage(message, choose()));
            }
            return Err(Error::usage(
                format!("{attacks}: there are no scores named {unknown}"),
                choose(),
            ));
        }
        let wanted = |column: &(String, Scores)| names.contains(&column.0.as_str());
        Ok(self.columns.into_iter().filter(wanted).collect())
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    if !name.is_empty() && report::is_plain(name) {
        return Ok(());
    }
    Err(Error::usage(
        format!(
            "the scores named {:?} cannot be shown under that name",
            report::printable(name)
        ),
        "rename the column: letters, digits, and - _ . + are allowed",
    ))
}
