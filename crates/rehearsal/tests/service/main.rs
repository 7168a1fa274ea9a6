//! The service as those who ask see it, without HTTP.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod defences;
mod models;
mod questions;
mod retrieval;

use guestlist_rehearsal::{Answer, Ask, ChunkSettings, Document, Index, Service, ServiceSettings};

/// Documents on several subjects, each with numbers, names and a denial of its own.
pub fn documents() -> Vec<Document> {
    let document = |id: &str, title: &str, text: &str| Document {
        id: id.into(),
        title: Some(title.into()),
        text: text.into(),
    };
    vec![
        document(
            "insulin",
            "Insulin pumps in children",
            "We studied insulin pumps in 48 children with type 1 diabetes at two hospitals in Lyon. Mean glycated haemoglobin fell from 8.1 percent to 7.4 percent within twelve months. Severe hypoglycaemia did not occur in the pump group. Parents reported better sleep and fewer school absences.",
        ),
        document(
            "bridges",
            "Fatigue of steel bridges",
            "Orthotropic steel decks crack where trough stiffeners meet the deck plate. Strain gauges on the Moerdijk bridge recorded 1,250,000 stress cycles per year. Thicker asphalt lowered the stress range by 18 percent. Repairs with bonded plates lasted longer than welding alone.",
        ),
        document(
            "bees",
            "Foraging of bumblebees",
            "Bumblebees visited lavender more often than heather in all 14 gardens. Foraging distance was larger in cities than in villages. Colonies near motorways produced fewer queens. No pesticide residues were found in the wax.",
        ),
        document(
            "ledger",
            "Accounts of a medieval mill",
            "The mill at Sourbrodt paid its miller 14 shillings in 1342. Grain losses to mice were entered every autumn. The ledger names three women as owners of the eastern wheel.",
        ),
        document(
            "telescope",
            "Mirror coatings",
            "Silver coatings on the secondary mirror lost 2 percent reflectivity each year. Protected aluminium held up better in humid nights. The observatory recoated the mirror in 2019 with a new sputtering chamber.",
        ),
        document(
            "tea",
            "Catechins in green tea",
            "Green tea leaves steeped at 70 degrees released 60 percent of their catechins within three minutes. Hotter water extracted more caffeine. Bitter taste rose with leaf age.",
        ),
    ]
}

pub fn service(settings: ServiceSettings) -> Service {
    let index = Index::new(documents(), ChunkSettings::default(), None).unwrap();
    Service::extractive(index, settings).unwrap()
}

/// What a service without defences says.
pub fn ask(question: &str) -> Answer {
    service(ServiceSettings::default())
        .answer(&Ask::new(question))
        .unwrap()
}
