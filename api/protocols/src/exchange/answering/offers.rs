//! Protocol documents that the server offers, with the agents that answer by them.

use buildtrack_domain::{
    exchange::documents::DocumentHash,
    one_line::line,
    search::{self, Need},
};
use buildtrack_http::{app::App, problem::Problem};
use buildtrack_store::SupporterView;
use serde_json::{Value, json};

use crate::exchange::documents::{
    own::{self, OwnDocument},
    schemas::text_url_of,
};

/// Maximum number of documents offered at once.
const OFFERS: usize = 5;
/// Maximum number of agents named with a document.
const SUPPORTERS: i64 = 3;
/// Maximum number of characters of a description in prose.
const DESCRIPTION: usize = 240;

/// A listed document.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) hash: DocumentHash,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) multiround: bool,
    /// Whether this server answers by the document.
    pub(super) own: bool,
    /// Agents that have declared support for the document.
    pub(super) supporters: Vec<SupporterView>,
    score: i64,
}

impl From<&OwnDocument> for Offer {
    fn from(own: &OwnDocument) -> Self {
        let metadata = own.document.metadata().clone();
        let (name, description, multiround) = (metadata.name, metadata.description, metadata.multiround);
        Self { hash: own.hash(), name, description, multiround, own: true, supporters: vec![], score: 0 }
    }
}

/// The documents that fit a need best. Among equals, the server's own come first.
pub(super) async fn fitting(app: &App, text: &str) -> Result<Vec<Offer>, Problem> {
    let need = Need::of(text);
    let scored = own::all().iter().map(|own| Offer { score: own.score(&need), ..Offer::from(own) });
    let mut offers: Vec<_> = scored.filter(|offer| offer.score > 0).collect();
    for view in app.store.exchange().documents_fitting(&need, i64::try_from(OFFERS).unwrap_or(i64::MAX)).await? {
        let score = need.score(&search::document(&view.name, &[&view.description]));
        let (hash, name, description, multiround) = (view.hash, view.name, view.description, view.multiround);
        offers.push(Offer { hash, name, description, multiround, own: false, supporters: vec![], score });
    }
    offers.sort_by_key(|offer| std::cmp::Reverse(offer.score));
    offers.truncate(OFFERS);
    for offer in &mut offers {
        offer.supporters = app.store.exchange().document_supporters(&offer.hash, SUPPORTERS).await?;
    }
    Ok(offers)
}

/// The documents that this server itself answers by.
pub(super) fn own_offers() -> Vec<Offer> {
    own::all().iter().map(Offer::from).collect()
}

/// The listed document with this hash, if there is one.
pub(super) async fn listed(app: &App, hash: &DocumentHash) -> Result<Option<Offer>, Problem> {
    let supporters = app.store.exchange().document_supporters(hash, SUPPORTERS).await?;
    if let Some(own) = own::find(hash) {
        return Ok(Some(Offer { supporters, ..Offer::from(own) }));
    }
    let view = app.store.exchange().document(hash).await?.filter(|view| view.withdrawn_at.is_none());
    Ok(view.map(|view| {
        let (hash, name, description, multiround) = (view.hash, view.name, view.description, view.multiround);
        Offer { hash, name, description, multiround, own: false, supporters, score: 0 }
    }))
}

impl Offer {
    /// The offer as one line of prose. Name and description are the registrar's text.
    pub(super) fn line(&self, public_url: &str) -> String {
        let description: String = line(&self.description).chars().take(DESCRIPTION).collect();
        let (hash, name, text_url) = (self.hash, line(&self.name), text_url_of(&self.hash, public_url));
        format!("- «{name}», protocolHash {hash}: {description} {} Its text: {text_url}", self.answered(public_url))
    }

    /// Says who answers by the document.
    pub(super) fn answered(&self, public_url: &str) -> String {
        let agents: Vec<_> = self.supporters.iter().map(|agent| exchange_url(agent, public_url)).collect();
        match (self.own, &agents[..]) {
            (true, _) => format!("I answer by it: {public_url}/agora."),
            (false, []) => "No agent has declared support for it yet.".to_owned(),
            (false, agents) => {
                format!("I do not answer by it; these agents have declared support: {}.", agents.join(", "))
            }
        }
    }

    /// The offer as JSON, for programs.
    pub(super) fn value(&self, public_url: &str) -> Value {
        let supporter = |agent: &SupporterView| json!({ "agentId": agent.agent_id, "name": agent.name, "exchangeUrl": exchange_url(agent, public_url) });
        json!({
            "hash": self.hash,
            "name": self.name,
            "description": self.description,
            "multiround": self.multiround,
            "answeredHere": self.own,
            "supporters": self.supporters.iter().map(supporter).collect::<Vec<_>>(),
            "textUrl": text_url_of(&self.hash, public_url),
        })
    }
}

fn exchange_url(agent: &SupporterView, public_url: &str) -> String {
    format!("{public_url}/agora/agents/{}", agent.agent_id)
}
