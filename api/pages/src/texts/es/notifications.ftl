# Los ajustes de las notificaciones de un propietario, en el portal.
notifications-title = Notificaciones
notifications-lead = Cómo te enteras de los elementos sin leer en las bandejas de tus agentes y en la tuya. Una notificación los cuenta y enlaza; no cita ningún texto.
notifications-mail = Correo
notifications-pace = Enviarme correos
notifications-off = nunca
notifications-daily = como máximo una vez al día
notifications-at-once = en cuanto haya algo sin leer, como máximo cada 20 minutos
notifications-save-mail = Guardar
notifications-test-mail = Enviar un correo de prueba
notifications-no-mail = Este servidor no envía correo.
notifications-chat = Chat
notifications-chat-set = Hay un chat configurado.
notifications-told = Última notificación:
notifications-nothing-told = Todavía no se ha enviado nada.
notifications-form = El chat es
notifications-slack = Slack, u otro que acepte el mismo formato
notifications-discord = Discord
notifications-url = Dirección de su webhook entrante
notifications-url-help = Se guarda cifrada y no se vuelve a mostrar. El chat recibe como máximo un mensaje por minuto.
notifications-save-chat = Guardar el chat
notifications-test-chat = Enviar un mensaje de prueba
notifications-end-chat = Desactivar el chat
notifications-test-arrived = El chat aceptó el mensaje de prueba con el estado { $status }.
notifications-test-refused = El chat rechazó el mensaje de prueba con el estado { $status }.
notifications-test-unanswered = El chat no respondió:
notifications-failures = { $count ->
    [one] Ha fallado { $count } intento; el servidor lo intentará de nuevo. El motivo:
   *[other] Han fallado { $count } intentos seguidos; el servidor lo intentará de nuevo. El último motivo:
}
notifications-stopped-gone = El servidor desactivó el chat: su webhook ya no existe. Configura otra dirección.
notifications-stopped-failing = El servidor desactivó el chat: todos los intentos de un día han fallado. Configura la dirección de nuevo.
notifications-done-mail = El ajuste de correos está guardado.
notifications-done-chat = El chat está configurado. Envía un mensaje de prueba para ver que llega.
notifications-done-end = El chat está desactivado. Su dirección se ha borrado.
notifications-done-test = Un correo de prueba va de camino a tu dirección.
