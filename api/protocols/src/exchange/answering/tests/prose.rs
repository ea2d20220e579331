//! Tests of requests without a protocol and of negotiations.

use super::*;

#[actix_web::test]
async fn a_document_without_code_here_is_unsupported() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let hash = world.register(&scout, TEXT).await;
    assert!(!supports(&hash));
    assert_eq!(multiround(&world.app, &hash).await.unwrap(), Some(false));
    assert_eq!(multiround(&world.app, &DocumentHash::of("x")).await.unwrap(), None);
    let body = Body::try_from(json!({})).unwrap();
    let turn = Turn { asker: None, document: Some(&hash), negotiation: false, earlier: &[], body: &body };
    assert_eq!(answer(&world.app, turn).await.unwrap(), Err(Failure("Unsupported protocol".into())));
}

#[actix_web::test]
async fn a_request_without_a_protocol_lists_fitting_documents() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let hash = world.register(&scout, TEXT).await;
    let own = |answerer| own::all().iter().find(|own| own.answerer == answerer).unwrap().hash().to_string();
    let answer_text = world.plainly(json!("Please post a message into my workspace.")).await;
    let at = |answerer| answer_text.find(&own(answerer));
    assert!(
        at(Answerer::Messages) < at(Answerer::Tracks).or(Some(usize::MAX)) && at(Answerer::Messages).is_some(),
        "{answer_text}"
    );
    assert!(answer_text.contains(&format!("https://build.example/api/v1/protocols/{}/text", own(Answerer::Messages))));
    let answer_text = world.plainly(json!("Weather tomorrow? Will there be rain?")).await;
    assert!(
        answer_text.contains(&hash.to_string()) && answer_text.contains("No agent has declared support"),
        "{answer_text}"
    );
    world.send("PUT", &format!("/api/v1/agents/{}/protocols/{hash}", scout.id), &scout.token, Value::Null).await;
    let answer_text = world.plainly(json!({ "question": "rain?" })).await;
    assert!(answer_text.contains(&format!("https://build.example/agora/agents/{}", scout.id)), "{answer_text}");
    let answer_text = world.plainly(json!("Xyzzy")).await;
    assert!(
        answer_text.contains("no protocol document")
            && answer_text.contains(&own(Answerer::Agents))
            && !answer_text.contains(&hash.to_string())
    );
}

#[actix_web::test]
async fn prose_can_agree_on_a_document_of_the_server() {
    let world = World::new().await;
    let mut earlier = vec![];
    let hello = json!("Hello! I need to ask for the reputation and the score of an agent.");
    let proposed = world.negotiate(None, &mut earlier, hello).await;
    let own = own::all().iter().find(|own| own.answerer == Answerer::Reputation).unwrap();
    assert!(proposed.as_str().unwrap().contains(&own.hash().to_string()), "{proposed}");
    let named = json!(format!("Let us take {}.", own.hash()));
    let agreed = world.negotiate(None, &mut earlier, named).await;
    // The client takes the text between the tags, without surrounding white space.
    let text = agreed.as_str().unwrap().split_once("<FINALPROTOCOL>").unwrap().1;
    let text = text.split_once("</FINALPROTOCOL>").unwrap().0.trim();
    assert_eq!(DocumentHash::of(text), own.hash());
    let agreed = world.negotiate(None, &mut earlier, json!("Agreed!")).await;
    assert!(agreed.as_str().unwrap().starts_with("Agreed: "), "{agreed}");
}

#[actix_web::test]
async fn a_negotiated_document_is_registered_for_a_requester_with_a_session() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let (mut earlier, hash) = (vec![], DocumentHash::of(TEXT));
    let asked = world.negotiate(Some(&scout), &mut earlier, json!({ "need": "rain for a place" })).await;
    assert_eq!((&asked["agreed"], asked["proposals"].is_array()), (&json!(false), true));
    let broken = json!({ "document": TEXT.replace("multiround", "rounds") });
    let refused = world.negotiate(Some(&scout), &mut earlier, broken).await;
    assert!(refused["error"].as_str().unwrap().contains("lacks \"multiround\""), "{refused}");
    // Without a session, a requester can agree on registered documents only.
    let anonymous = world.negotiate(None, &mut vec![], json!({ "document": TEXT })).await;
    assert_eq!(
        (&anonymous["agreed"], world.app.store.exchange().document(&hash).await.unwrap().is_none()),
        (&json!(false), true)
    );
    let agreed = world.negotiate(Some(&scout), &mut earlier, json!({ "document": TEXT })).await;
    assert_eq!(
        (&agreed["agreed"], &agreed["registered"], &agreed["protocolHash"]),
        (&json!(true), &json!(true), &json!(hash))
    );
    assert_eq!(world.app.store.exchange().document(&hash).await.unwrap().unwrap().registrar_id.to_string(), scout.id);
    let known = world.negotiate(None, &mut vec![], json!({ "hash": hash.base64() })).await;
    assert_eq!((&known["agreed"], &known["registered"]), (&json!(true), &json!(false)));
    let proposed = world.negotiate(None, &mut vec![], json!(format!("I propose:\n```\n{TEXT}\n```\nFine?"))).await;
    assert!(proposed.as_str().unwrap().starts_with("Agreed: "), "{proposed}");
    let mut earlier = vec![];
    world.negotiate(None, &mut earlier, json!({ "need": "rain" })).await;
    let agreed = world.negotiate(None, &mut earlier, json!({ "agree": true })).await;
    assert_eq!(agreed["protocolHash"], json!(hash));
    world.send("DELETE", &format!("/api/v1/protocols/{hash}"), &scout.token, Value::Null).await;
    let gone = world.negotiate(None, &mut vec![], json!({ "hash": hash })).await;
    assert_eq!(gone["agreed"], json!(false));
    let nothing = world.negotiate(None, &mut vec![], json!({ "hash": "x" })).await;
    assert!(nothing["message"].as_str().unwrap().contains("is not the hash of a document"));
    assert!(
        world.negotiate(None, &mut vec![], json!("Yes.")).await.as_str().unwrap().contains("What do you agree to?")
    );
}
