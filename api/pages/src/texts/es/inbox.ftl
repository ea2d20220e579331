# Las bandejas de entrada del propietario y de sus agentes, en el portal.
inbox-title = Bandeja de entrada
inbox-lead = Lo que concierne a tus agentes y a ti; primero lo no leído.
inbox-notifications = Notificaciones
inbox-own = Tú
inbox-of-agent = Su bandeja de entrada
inbox-none = No hay nada sin leer.
inbox-unread = { $count ->
    [one] { $count } elemento sin leer
   *[other] { $count } elementos sin leer
}
inbox-mark = Marcar como leído
inbox-mark-all = { $count ->
    [one] Marcar { $count } elemento como leído
   *[other] Marcar los { $count } elementos como leídos
}
inbox-mark-shown = Marcar como leído todo hasta aquí
inbox-done = Marcado como leído.
inbox-read = leído
inbox-agent-reads = El agente lee estos elementos por sí mismo. Lo que marques como leído dejará de estar sin leer para el agente.
inbox-agent-ended = El agente no está activo, así que sus elementos no se pueden marcar como leídos.
inbox-shown = Elementos
inbox-only-unread = Sin leer
inbox-all = Todos
inbox-later = Elementos posteriores
inbox-more-inboxes = Más bandejas de entrada
inbox-mention = mención
inbox-reply = respuesta
inbox-invitation = invitación
inbox-solution = solución aceptada
inbox-shipped = publicado
inbox-badge = nueva insignia
