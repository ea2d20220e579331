//! Outgoing mail: the queue, its retries, and addresses that cannot be.

use std::time::Duration;

use buildtrack_settings::Settings;
use buildtrack_store::{IdentityChange, Mail, NewMail, Store};
use buildtrack_worker::{MailError, Mailer, Worker};
use rstest_reuse::apply;

use crate::{
    both,
    cast::worker,
    database::{Kind, TestDatabase},
    mailbox::Mailbox,
    process::{Running, eventually},
};

/// A worker that sends its mail to the mailbox.
fn mailing(store: &Store, mailbox: &Mailbox) -> Worker {
    worker(store).mailing(mailer(mailbox))
}

/// A client of the mailbox.
pub(crate) fn mailer(mailbox: &Mailbox) -> Option<Mailer> {
    let mut settings = Settings::default();
    mailbox.set(&mut settings);
    Mailer::of(&settings).unwrap()
}

/// Adds a mail to the queue.
pub(crate) async fn enqueue(store: &Store, to: &str, subject: &str) {
    let mail = Mail { to: to.into(), subject: subject.into(), text: "Hello.\n".into() };
    let queued = NewMail::seal(store.log(), &store.log().secret().keyed_hash(to), &mail).unwrap();
    store.log().write_side([IdentityChange::Mail(Box::new(queued))]).await.unwrap();
}

#[apply(both)]
async fn queued_mail_is_sent_once_with_its_headers(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    let worker = mailing(&store, &mailbox);
    for number in 0..21 {
        enqueue(&store, "ada@example.org", &format!("Number {number}")).await;
    }
    worker.drain().await.unwrap();
    let sent = mailbox.take();
    assert_eq!(sent.len(), 21, "more than one poll takes");
    assert!(sent.iter().all(|mail| mail.to == "ada@example.org"));
    let first = &sent.iter().find(|mail| mail.text.contains("Subject: Number 0\n")).unwrap().text;
    for part in ["To: ada@example.org\n", "From: Buildtrack <build@example.org>\n", "text/plain", "Hello."] {
        assert!(first.contains(part), "{part}: {first}");
    }
    worker.drain().await.unwrap();
    assert!(mailbox.take().is_empty());
}

#[apply(both)]
async fn refused_mail_is_retried_and_given_up(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    let worker = mailing(&store, &mailbox);
    enqueue(&store, "ada@example.org", "Late").await;
    mailbox.refuse(1);
    worker.drain().await.unwrap();
    database.clock.advance(Duration::from_secs(29));
    worker.drain().await.unwrap();
    assert!(mailbox.take().is_empty(), "it is retried after 30 s");
    database.clock.advance(Duration::from_secs(1));
    worker.drain().await.unwrap();
    assert_eq!(mailbox.take().len(), 1);

    enqueue(&store, "ada@example.org", "Never").await;
    mailbox.refuse(7);
    for wait in [0, 30, 120, 600, 1800, 3600, 7200] {
        assert_eq!(store.identity().mails_due(10).await.unwrap().len(), usize::from(wait == 0));
        database.clock.advance(Duration::from_secs(wait));
        assert_eq!(store.identity().mails_due(10).await.unwrap().len(), 1, "after {wait} s");
        worker.drain().await.unwrap();
    }
    database.clock.advance(Duration::from_hours(24));
    worker.drain().await.unwrap();
    assert!(mailbox.take().is_empty(), "it was given up after six retries");
}

/// The header's value.
fn message_id(text: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix("Message-ID: ")).expect("a Message-ID").to_owned()
}

#[apply(both)]
async fn each_queued_mail_has_its_own_message_id_and_keeps_it(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    let worker = mailing(&store, &mailbox);
    for subject in ["One", "Two"] {
        enqueue(&store, "ada@example.org", subject).await;
    }
    let due = store.identity().mails_due(10).await.unwrap();
    let mut expected: Vec<_> = due.iter().map(|due| format!("<{}@example.org>", due.id)).collect();
    mailbox.refuse(1);
    worker.drain().await.unwrap();
    database.clock.advance(Duration::from_secs(30));
    worker.drain().await.unwrap();
    let mut ids: Vec<_> = mailbox.take().iter().map(|sent| message_id(&sent.text)).collect();
    for ids in [&mut ids, &mut expected] {
        ids.sort();
    }
    assert_eq!(ids, expected);
}

#[apply(both)]
async fn a_domain_is_sent_in_punycode(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    enqueue(&store, "user@exämple.org", "Hello").await;
    mailing(&store, &mailbox).drain().await.unwrap();
    let sent = mailbox.take();
    assert_eq!(sent.iter().map(|sent| &*sent.to).collect::<Vec<_>>(), ["user@xn--exmple-cua.org"]);
}

#[apply(both)]
async fn mail_to_an_impossible_address_is_given_up_at_once(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    enqueue(&store, "no address", "Nowhere").await;
    enqueue(&store, "ben@example.org", "Somewhere").await;
    mailing(&store, &mailbox).drain().await.unwrap();
    assert_eq!(mailbox.take().len(), 1);
    database.clock.advance(Duration::from_hours(24));
    assert_eq!(store.identity().mails_due(10).await.unwrap().len(), 0);
}

#[apply(both)]
async fn the_running_worker_sends_mail(kind: Kind) {
    let database = TestDatabase::now(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    let running = Running::of(mailing(&store, &mailbox));
    enqueue(&store, "ada@example.org", "Now").await;
    eventually(async || mailbox.take().pop()).await;
    running.stop().await;
}

#[test]
fn settings_describe_a_mailer() {
    let settings = |url: Option<&str>, from: Option<&str>| Settings {
        smtp_url: url.map(|url| url.parse().unwrap()),
        mail_from: from.map(ToOwned::to_owned),
        ..Settings::default()
    };
    let (url, from) = (Some("smtp://ada:s%20t@localhost:25"), Some("Buildtrack <build@example.org>"));
    assert!(Mailer::of(&settings(None, from)).unwrap().is_none());
    assert!(Mailer::of(&settings(url, None)).unwrap().is_none());
    let mailer = Mailer::of(&settings(url, from)).unwrap().unwrap();
    assert!(format!("{mailer:?}").contains("build@example.org"));
    let error = Mailer::of(&settings(url, Some("no mailbox"))).unwrap_err();
    assert!(matches!(&error, MailError::From(found) if found == "no mailbox"), "{error}");
    let mailer = Mailer::of(&settings(url, Some("Buildtrack <build@exämple.org>"))).unwrap().unwrap();
    assert!(format!("{mailer:?}").contains("xn--exmple-cua.org"), "{mailer:?}");
}
