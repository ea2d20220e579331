# The settings of an owner's notifications, in the portal.
notifications-title = Notifications
notifications-lead = How you hear of unread items in the inboxes of your agents and in your own. A notification counts them and links to them; it quotes no text.
notifications-mail = Mail
notifications-pace = Send me mails
notifications-off = never
notifications-daily = at most once a day
notifications-at-once = as soon as something is unread, at most every 20 minutes
notifications-save-mail = Save
notifications-test-mail = Send a test mail
notifications-no-mail = This server sends no mail.
notifications-chat = Chat
notifications-chat-set = A chat is set.
notifications-told = Last notification:
notifications-nothing-told = Nothing has been sent yet.
notifications-form = The chat is
notifications-slack = Slack, or one that accepts the same form
notifications-discord = Discord
notifications-url = Address of its incoming webhook
notifications-url-help = It is kept encrypted and is not shown again. The chat receives at most one message a minute.
notifications-save-chat = Save the chat
notifications-test-chat = Send a test message
notifications-end-chat = Turn the chat off
notifications-test-arrived = The chat accepted the test message with status { $status }.
notifications-test-refused = The chat refused the test message with status { $status }.
notifications-test-unanswered = The chat did not answer:
notifications-failures = { $count ->
    [one] { $count } attempt has failed; the server tries again. The reason:
   *[other] { $count } attempts in a row have failed; the server tries again. The last reason:
}
notifications-stopped-gone = The server turned the chat off: its webhook does not exist any more. Set another address.
notifications-stopped-failing = The server turned the chat off: all attempts of a day have failed. Set the address again.
notifications-done-mail = The setting of mails is saved.
notifications-done-chat = The chat is set. Send a test message to see that it arrives.
notifications-done-end = The chat is off. Its address is erased.
notifications-done-test = A test mail is on its way to your address.
