//! What may be typed about audits that are there: to show them to others, and to hold them to their word.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist report audit                                        the first screen again\n  \
        guestlist report audit --format annex -o annex.html           for a data protection officer; print it to PDF\n  \
        guestlist report audit --format annex > annex.md              the same as Markdown\n  \
        guestlist report audit --format model-card > card.md          a Hugging Face model card, or what to put into yours\n  \
        guestlist report audit --format cyclonedx -o mlbom.cdx.json   an entry for a bill of materials\n\n\
        No format names a record or shows a text but json and html, and these only where the audit was \
        made with --show-records.")]
pub struct Render {
    /// The audit's folder, or its report.json
    pub dir: PathBuf,
    /// What to render
    #[arg(long, value_enum, default_value = "terminal")]
    pub format: RenderFormat,
    /// Write to this file instead of standard output; an annex to a name that ends in .html is a page
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write figures for papers beside the report: figures/*.svg and *.png
    #[arg(long)]
    pub figures: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RenderFormat {
    Terminal,
    Json,
    Html,
    Markdown,
    Junit,
    Sarif,
    /// What an assessor needs, in one document: Markdown
    Annex,
    /// The same as a page, set for A4
    AnnexHtml,
    /// A section of a Hugging Face model card, with its metadata
    ModelCard,
    /// A CycloneDX bill of materials with the audited model in it
    Cyclonedx,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist verify audit\n  \
        guestlist verify audit --inputs data                          every input must be there\n  \
        guestlist verify audit --signers allowed_signers              signed by somebody who is listed\n  \
        guestlist verify audit --signers allowed_signers --identity dpo@example.org\n\n\
        Every file of the audit is held against SHA256SUMS, which was written with it, and every input \
        against the digest in the report. Digests tell of accidents; whoever can change every file can \
        change SHA256SUMS as well, which only a signature shows.\n\n\
        The same without guestlist:\n  \
        sha256sum --check SHA256SUMS\n  \
        ssh-keygen -Y verify -f allowed_signers -I dpo@example.org -n guestlist -s SHA256SUMS.sig < SHA256SUMS\n\n\
        Exit codes: 0 everything agrees, 1 something was changed or is missing, 2 error in usage or input.")]
pub struct Verify {
    /// The folder that the audit was written to
    pub dir: PathBuf,
    /// Where the inputs lie (default: where the report says, seen from here, from the audit's folder and
    /// from the one around it); with it, an input that is not there fails
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// An allowed signers file of OpenSSH; with it, an audit that nobody in it signed fails
    #[arg(long, value_name = "FILE")]
    pub signers: Option<PathBuf>,
    /// Who of the allowed signers it must be
    #[arg(long, value_name = "NAME", requires = "signers")]
    pub identity: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
        guestlist sign audit --key ~/.ssh/id_ed25519\n  \
        guestlist sign audit --key ~/.ssh/id_ed25519.pub              by the key that ssh-agent holds\n\n\
        OpenSSH's ssh-keygen signs: it asks for the passphrase, and guestlist never sees the key. What does \
        not agree with SHA256SUMS is not signed.")]
pub struct Sign {
    /// The folder that the audit was written to
    pub dir: PathBuf,
    /// A private key of OpenSSH, or the public half of one that ssh-agent holds
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
}
