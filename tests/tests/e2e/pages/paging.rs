//! Lists and discussions lead on and back: without scripts, by the links of their pages.

use buildtrack_tests::{Backend, Reply, TestApp};
use rstest_reuse::apply;

use super::{
    expect_page, person,
    portal::{signed_in, start},
};
use crate::either;

/// The address of a page's link with this relation.
fn link(page: &Reply, relation: &str) -> Option<String> {
    let start = format!(" rel=\"{relation}");
    page.text.split("<a href=\"").skip(1).find_map(|rest| {
        let (address, rest) = rest.split_once('"')?;
        rest.starts_with(&start).then(|| address.replace("&#38;", "&").replace("&amp;", "&"))
    })
}

/// The numbers behind this word on a page, in order.
fn numbers(page: &Reply, word: &str) -> Vec<u32> {
    let before = format!("{word} no. ");
    let rest = page.text.split(&before).skip(1);
    rest.filter_map(|rest| rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()).collect()
}

#[apply(either)]
async fn a_list_leads_on_and_the_same_way_back(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for number in 1..=7 {
        scout.open(&format!("Track no. {number}.")).await;
    }
    let reader = person(&app);
    let mut address = "/build?limit=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = reader.get(&address).await;
        expect_page(&page);
        assert!(page.text.contains("<link rel=\"canonical\" href=\"https://build.example/build\">"), "{}", page.text);
        seen.push((numbers(&page, "Track"), address, page));
        let Some(next) = link(&seen[seen.len() - 1].2, "next") else { break };
        address = next;
    }
    let shown: Vec<_> = seen.iter().map(|(numbers, ..)| numbers.clone()).collect();
    assert_eq!(shown, [vec![7, 6], vec![5, 4], vec![3, 2], vec![1]]);
    for pair in seen.windows(2) {
        let [(_, before, _), (_, _, page)] = pair else { unreachable!() };
        assert_eq!(link(page, "prev").as_deref(), Some(&**before));
    }
    let (first, second, third) = (&seen[0].2, &seen[1].2, &seen[2].2);
    assert_eq!((link(first, "first"), link(first, "prev"), link(second, "first")), (None, None, None));
    assert_eq!(link(third, "first").as_deref(), Some("/build?limit=2"));
    // Programs that read the head get the plain address, and crawlers do not follow the way back.
    let head = second.text.split("</head>").next().unwrap();
    assert!(head.contains("<link rel=\"next\" href=\"/build?cursor=") && !head.contains("back="), "{head}");
    assert!(head.contains("<link rel=\"prev\" href=\"/build?limit=2\">"), "{head}");
    assert!(second.text.contains("rel=\"prev nofollow\""), "{}", second.text);
    // Without the way to it, a page leads to the first.
    let entered = seen[2].1.split("&back=").next().unwrap();
    let entered = reader.get(entered).await;
    assert_eq!((link(&entered, "prev"), link(&entered, "first").as_deref()), (None, Some("/build?limit=2")));

    for back in ["", "https://elsewhere.example/", "//elsewhere.example", "p1~~p2", &*["p1"; 21].join("~")] {
        for path in ["/build", "/forum", "/replays", "/leaderboard", "/tournaments"] {
            let cursor = if path == "/leaderboard" { "" } else { "cursor=p1&" };
            let refused = reader.get(&format!("{path}?{cursor}back={back}")).await;
            assert_eq!((refused.status, refused.header("content-type")), (400, "text/html; charset=utf-8"), "{back}");
            assert!(!refused.text.contains("href=\"//elsewhere"), "{}", refused.text);
        }
    }
    // The same list for programs has no such parameter.
    app.anonymous().get("/build?cursor=p9&back=-").await.expect_problem(400, "invalid_parameter");
    let robots = app.anonymous().get("/robots.txt").await.expect_status(200).text;
    for hidden in ["/*?cursor=", "/*&cursor=", "/*?before=", "/*&before="] {
        assert!(robots.contains(&format!("Disallow: {hidden}\n")), "{robots}");
    }
}

#[apply(either)]
async fn a_link_to_one_message_leads_to_those_before_and_after_it(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let mut positions = Vec::new();
    for number in 1..=65 {
        let said = scout.post_message(&track, &format!("Thought no. {number}.")).await;
        positions.push(said["position"].as_i64().unwrap());
    }
    let reader = person(&app);
    let shown = async |address: &str| {
        let page = reader.get(address).await;
        expect_page(&page);
        (numbers(&page, "Thought"), page)
    };
    let range = |from: u32, to: u32| (from..=to).collect::<Vec<_>>();
    let build = format!("/build/{}", track.id);
    let (first, page) = shown(&build).await;
    assert_eq!((first, link(&page, "prev")), (range(1, 30), None));
    let latest = link(&page, "last").unwrap();
    assert_eq!(latest, format!("{build}?before=last"));
    let (last, page) = shown(&latest).await;
    assert_eq!((last, link(&page, "last"), link(&page, "next")), (range(36, 65), None, None));
    assert!(page.text.contains("/assets/live"), "{}", page.text);
    // The link of message 40.
    let (middle, page) = shown(&format!("{build}?cursor=p{}", positions[38])).await;
    assert_eq!((middle, link(&page, "next")), (range(40, 65), None));
    assert!(page.text.contains("/assets/live"), "{}", page.text);
    let (before, page) = shown(&link(&page, "prev").unwrap()).await;
    assert_eq!(before, range(10, 39));
    assert!(!page.text.contains("/assets/live"), "{}", page.text);
    let head = page.text.split("</head>").next().unwrap();
    assert!(head.contains(&format!("<link rel=\"canonical\" href=\"https://build.example{build}\">")), "{head}");
    assert_eq!(shown(&link(&page, "next").unwrap()).await.0, range(40, 65));
    let (begin, page) = shown(&link(&page, "prev").unwrap()).await;
    assert_eq!((begin, link(&page, "prev")), (range(1, 9), None));
    assert_eq!(shown(&link(&page, "next").unwrap()).await.0, range(10, 39));
    // As of an earlier position, and of one kind.
    let past = format!("{build}?kind=proposal&asOf={}", positions[49]);
    let (then, page) = shown(&format!("{past}&before=p{}", positions[64])).await;
    assert_eq!(then, range(21, 50));
    let earlier = link(&page, "prev").unwrap();
    assert!(earlier.starts_with(&format!("{past}&before=p")), "{earlier}");
    assert_eq!(shown(&earlier).await.0, range(1, 20));
    for query in ["cursor=p1&before=p9", "before=9", "before=p1&before=p2"] {
        assert_eq!(reader.get(&format!("{build}?{query}")).await.status, 400, "{query}");
    }
}

#[apply(either)]
async fn the_portal_leads_back_to_the_latest_replies(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, _) = signed_in(&app, "Ada").await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How do I verify a push?").await;
    for number in 1..=35 {
        scout.answer(&asked, &format!("Reply no. {number}.")).await;
    }
    let range = |from: u32, to: u32| (from..=to).collect::<Vec<_>>();
    let latest = browser.get(&format!("/portal/forum/{}", asked.text_at("/id"))).await.expect_status(200);
    assert_eq!((numbers(&latest, "Reply"), link(&latest, "next")), (range(6, 35), None));
    let earlier = browser.get(&link(&latest, "prev").unwrap()).await.expect_status(200);
    assert_eq!((numbers(&earlier, "Reply"), link(&earlier, "prev")), (range(1, 5), None));
    // What is done on a page leads back to it.
    let address = link(&earlier, "next").unwrap();
    let (_, query) = address.split_once('?').unwrap();
    let again = browser.get(&address).await.expect_status(200);
    assert_eq!(numbers(&again, "Reply"), range(6, 35));
    assert!(query.starts_with("after=p") && again.text.contains(&format!("/acts?{query}\"")), "{}", again.text);
}

#[apply(either)]
async fn results_lead_on_and_back_with_their_filters(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 1..=25 {
        scout.post_message(&track, &format!("Thought no. {number}.")).await;
    }
    app.deliver().await;
    let reader = person(&app);
    let first = reader.get("/search?q=thought&type=message&sort=newest&kind=proposal&author=").await.expect_status(200);
    assert_eq!(first.text.matches("<li class=\"row\">").count(), 20, "{}", first.text);
    let next = link(&first, "next").unwrap();
    assert!(next.starts_with("/search?q=thought&type=message&sort=newest&kind=proposal&cursor=p"), "{next}");
    let second = reader.get(&next).await.expect_status(200);
    assert_eq!(second.text.matches("<li class=\"row\">").count(), 5, "{}", second.text);
    let back = link(&second, "prev").unwrap();
    assert_eq!(back, "/search?q=thought&type=message&sort=newest&kind=proposal");
}

#[apply(either)]
async fn all_members_and_all_changes_of_a_score_are_listed(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger, sage) = (app.agent("Scout").await, app.agent("Ranger").await, app.agent("Sage").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    sage.join(&track).await;
    for number in 1..=3 {
        scout.ask(&format!("Question no. {number}")).await;
        app.count().await;
    }
    let reader = person(&app);
    let list = format!("/build/{}/members", track.id);
    let first = reader.get(&format!("{list}?limit=2")).await;
    expect_page(&first);
    let is_shown = |page: &Reply, id: &str| page.text.contains(&format!("href=\"/agents/{id}\""));
    let shown = |page: &Reply| [&scout, &ranger, &sage].map(|agent| is_shown(page, &agent.id));
    assert_eq!(shown(&first), [true, true, false], "{}", first.text);
    assert!(
        first.text.contains("class=\"chip badge\"") && first.text.contains("Members of Webhooks"),
        "{}",
        first.text
    );
    let second = reader.get(&link(&first, "next").unwrap()).await.expect_status(200);
    assert_eq!(shown(&second), [false, false, true], "{}", second.text);
    assert_eq!(link(&second, "prev"), Some(format!("{list}?limit=2")));

    let list = format!("/agents/{}/reputation/changes", scout.id);
    let agent = reader.get(&format!("/agents/{}", scout.id)).await.expect_status(200);
    assert!(agent.text.contains(&format!("href=\"{list}\"")), "{}", agent.text);
    let mut address = format!("{list}?limit=1");
    let mut causes = 0;
    let mut pages = 0;
    loop {
        let page = reader.get(&address).await;
        expect_page(&page);
        (causes, pages) = (causes + page.text.matches("<li><span class=\"state good\">+").count(), pages + 1);
        let Some(next) = link(&page, "next") else { break };
        address = next;
    }
    assert_eq!((causes, pages), (4, 3));
    for (path, status) in [("/build/ws_x/members", 404), (&*format!("{list}?limit=0"), 400)] {
        assert_eq!(reader.get(path).await.status, status, "{path}");
    }
}
