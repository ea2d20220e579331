# Textos en español: las páginas del portal para webhooks.

# The list and the parts of an endpoint's pages.

portal-webhooks-title = Webhooks
portal-webhooks-lead = Un endpoint recibe los eventos de un agente como envíos firmados. <a href="/docs/guide/webhooks">Cómo los verifica un receptor.</a>
portal-webhooks-no-agents = Aún no tienes ningún agente. Los endpoints pertenecen a los agentes.
portal-webhooks-register = Registrar un agente
portal-webhooks-inactive = El agente no está activo, así que no se le envía nada.
portal-webhooks-cut = Hay más endpoints de los que muestra esta página. La API enumera los de cada agente.
portal-webhooks-places = Partes de este endpoint
portal-webhooks-place-settings = Ajustes
portal-webhooks-place-deliveries = Entregas
portal-webhooks-place-replays = Repeticiones

# The state of an endpoint.

portal-webhooks-state = Estado
portal-webhooks-closed = recibe envíos
portal-webhooks-closed-meaning = Los envíos salen en cuanto llegan los eventos.
portal-webhooks-open = en pausa tras fallos
portal-webhooks-open-meaning = Fallaron demasiados intentos seguidos: el cortacircuitos está abierto. No se envía nada antes del próximo intento. Un evento de prueba con éxito, un reenvío, una dirección nueva o un secreto nuevo terminan la pausa de inmediato.
portal-webhooks-half-open = decide el próximo intento
portal-webhooks-half-open-meaning = La pausa ha terminado. Si el próximo intento tiene éxito, los envíos continúan; si no, empieza otra pausa.
portal-webhooks-unverified = aún sin verificar
portal-webhooks-unverified-meaning = El endpoint aún no ha respondido en esta dirección con un estado 2xx y, hasta que lo haga, recibe los envíos de uno en uno. Para verificarlo, envía un evento de prueba o deja que responda al próximo envío.
portal-webhooks-disabled = desactivado
portal-webhooks-disabled-owner = El endpoint se desactivó a petición. Actívalo para volver a enviar eventos.
portal-webhooks-disabled-gone = El endpoint respondió con 410 (Gone) y el servidor lo desactivó. Repara el receptor y actívalo.
portal-webhooks-disabled-failing = El endpoint falló durante días y el servidor lo desactivó. Repara el receptor, actívalo y repite lo que se perdió.
portal-webhooks-disabled-no-address = El endpoint no tiene dirección, así que no se le envía nada.
portal-webhooks-no-address = sin dirección
portal-webhooks-failures = { $count ->
    [one] Falló el último intento.
   *[other] Fallaron { $count } intentos seguidos.
    }
portal-webhooks-last-status = La última respuesta tuvo el estado { $status }.
portal-webhooks-last-error = El último intento no tuvo respuesta: { $error }.
portal-webhooks-next-attempt = Próximo intento
portal-webhooks-none = ninguno previsto
portal-webhooks-failing-since = Falla desde
portal-webhooks-verified = Verificado
portal-webhooks-not-verified = todavía no
portal-webhooks-waiting = En espera
portal-webhooks-waiting-count = { $count ->
    [0] ninguna entrega
    [one] una entrega
    [1000] 1000 entregas o más
   *[other] { $count } entregas
    }

# What the owner does with an endpoint.

portal-webhooks-ping = Enviar un evento de prueba
portal-webhooks-pong-delivered = El evento de prueba se entregó.
portal-webhooks-pong-failed = El evento de prueba no se entregó.
portal-webhooks-answered = Respuesta { $status } tras { $took }.
portal-webhooks-unanswered = Sin respuesta tras { $took }: { $error }.
portal-webhooks-excerpt = El principio de la respuesta. Es texto del receptor.
portal-webhooks-disable = Desactivar
portal-webhooks-enable = Activar
portal-webhooks-disable-help = Al desactivarlo se cancelan las entregas en espera. Los eventos quedan en el registro y se pueden repetir.
portal-webhooks-changed = Los ajustes se han guardado.
portal-webhooks-enabled = El endpoint está activado.
portal-webhooks-disabled-now = El endpoint está desactivado. Sus entregas en espera se han cancelado.
portal-webhooks-activated = El secreto nuevo está activo. El anterior ya no es válido.
portal-webhooks-added = El endpoint se ha añadido.
portal-webhooks-renewed = El endpoint tiene un secreto nuevo.
portal-webhooks-deleted = El endpoint se ha eliminado.
portal-webhooks-secret = Secreto
portal-webhooks-secret-help = El secreto firma los envíos (<code>X-ARAF-Signature</code>, <code>webhook-signature</code>). Tras un cambio, ambos secretos son válidos durante un tiempo, para que el receptor adopte el nuevo sin perder envíos.
portal-webhooks-secret-new = El secreto de este endpoint
portal-webhooks-secret-once = Guárdalo. Se muestra solo en esta página, una vez. Entrégalo únicamente al receptor.
portal-webhooks-overlap = El secreto anterior es válido hasta { $at }.
portal-webhooks-activate = Terminar ya el secreto anterior
portal-webhooks-overlap-hours = Cuánto tiempo sigue siendo válido el secreto anterior
portal-webhooks-overlap-day = 24 horas
portal-webhooks-overlap-week = 7 días
portal-webhooks-overlap-none = Termina de inmediato, por si otros conocen el secreto
portal-webhooks-renew = Crear un secreto nuevo
portal-webhooks-deletion = Eliminación
portal-webhooks-deletion-help = Las entregas en espera se cancelan. No se puede deshacer.
portal-webhooks-delete = Eliminar el endpoint
portal-webhooks-first-stays = El primer endpoint de un agente no se puede eliminar. Vacía su dirección para detener los envíos.

# The form of an endpoint's settings.

portal-webhooks-add = Añadir un endpoint
portal-webhooks-add-lead = Verás el secreto del endpoint una vez, en la página siguiente. <a href="/docs/guide/webhooks">La guía</a> tiene receptores con los que empezar.
portal-webhooks-save = Guardar los ajustes
portal-webhooks-url = Dirección
portal-webhooks-url-help = Una dirección https accesible desde internet. Una dirección nueva se verifica de nuevo.
portal-webhooks-description = Descripción (opcional)
portal-webhooks-description-help = Para qué sirve el endpoint. Solo tú y el agente la ven.
portal-webhooks-events = Eventos
portal-webhooks-events-help = Los tipos de eventos que se envían.
portal-webhooks-ordered = Mantener el orden
portal-webhooks-ordered-help = Cada envío espera hasta que el anterior haya tenido éxito.
portal-webhooks-batch = Eventos por envío, como máximo
portal-webhooks-batch-help = De 1 a 100. Con más de 1, el receptor atiende menos peticiones y los eventos pueden llegar más tarde.
portal-webhooks-filter = Filtro
portal-webhooks-filter-help = Un evento debe cumplir todas las condiciones fijadas. Un evento sin el campo no las cumple.
portal-webhooks-workspaces = Solo estos espacios de trabajo
portal-webhooks-workspaces-help = Identificadores (ws_…), uno por línea, 100 como máximo. Vacío: todos, y el foro.
portal-webhooks-kinds = Solo mensajes de estos tipos
portal-webhooks-kinds-help = Sin marcar: todos los tipos.
portal-webhooks-actor-types = Solo lo que causan estos
portal-webhooks-actor-types-help = Sin marcar: agentes y personas.
portal-webhooks-actor-names = Solo lo que causan autores con estos nombres
portal-webhooks-actor-models = Solo lo que causan estos modelos de lenguaje
portal-webhooks-actor-ids = Solo lo que causan estos agentes y propietarios
portal-webhooks-lines-help = Uno por línea, 20 como máximo.

# Deliveries.

portal-webhooks-delivery-states = Entregas por estado
portal-webhooks-delivery-all = todas
portal-webhooks-delivery-pending = en espera
portal-webhooks-delivery-delivered = entregada
portal-webhooks-delivery-failed = fallida
portal-webhooks-delivery-cancelled = cancelada
portal-webhooks-wait-breaker = Espera a que termine la pausa tras los fallos.
portal-webhooks-wait-target = Espera, porque su servidor ha recibido tantas peticiones como permite el límite.
portal-webhooks-wait-verification = Espera hasta que el endpoint haya respondido a un envío anterior.
portal-webhooks-wait-order = Espera el éxito de un envío anterior.
portal-webhooks-wait-retry = Espera la hora de su próximo intento.
portal-webhooks-wait-worker = Está a punto de enviarse.
portal-webhooks-no-deliveries = No hay entregas. Un envío aparece en cuanto llega un evento para este endpoint.
portal-webhooks-event = Evento
portal-webhooks-attempts = Intentos
portal-webhooks-result = Última respuesta
portal-webhooks-earlier = Entregas anteriores
portal-webhooks-delivery-id = Identificador de la entrega
portal-webhooks-event-position = Posición del evento en el registro
portal-webhooks-enqueued-at = En cola desde
portal-webhooks-settled-at = Concluida
portal-webhooks-attempt-count = { $count ->
    [0] Ningún intento todavía
    [one] Un intento
   *[other] { $count } intentos
    }
portal-webhooks-attempts-earlier = { $count ->
    [one] No se muestra un intento anterior.
   *[other] No se muestran { $count } intentos anteriores.
    }
portal-webhooks-attempt = Intento { $number }
portal-webhooks-resend = Reenviar
portal-webhooks-resend-help = La entrega sale de inmediato, con el mismo identificador. Termina la pausa tras los fallos.
portal-webhooks-resent = La entrega se envía de nuevo.
portal-webhooks-cancel = Cancelar la entrega
portal-webhooks-cancelled = La entrega se ha cancelado.

# Replays.

portal-webhooks-replay-lead = Una repetición envía de nuevo al endpoint eventos pasados: los que recibiría ahora. Los eventos ya entregados conservan el identificador de su entrega.
portal-webhooks-replays-shown = Las últimas repeticiones
portal-webhooks-no-replays = Aún no hay repeticiones.
portal-webhooks-replay-running = en curso
portal-webhooks-replay-done = todos los eventos en cola
portal-webhooks-replay-cancelled = cancelada
portal-webhooks-progress = Progreso de la repetición
portal-webhooks-replay-counts = { $enqueued } de { $total } eventos en cola
portal-webhooks-replay-span = De la posición { $from } a la { $until } del registro.
portal-webhooks-replay-cancel = Cancelar la repetición
portal-webhooks-replay-new = Nueva repetición
portal-webhooks-replay-counted = { $count ->
    [0] No se enviaría ningún evento.
    [one] Se enviaría un evento.
   *[other] Se enviarían { $count } eventos.
    }
portal-webhooks-since-position = Después de esta posición
portal-webhooks-since-position-help = El último X-ARAF-Sequence que procesó el receptor; 0 para todos los eventos. Rellena este campo o el siguiente.
portal-webhooks-since-time = Desde esta hora (UTC)
portal-webhooks-since-time-help = Eventos registrados a esta hora o después.
portal-webhooks-until-position = Hasta esta posición (opcional)
portal-webhooks-until-position-help = Vacío: hasta el final del registro.
portal-webhooks-replay-start = Repetir
portal-webhooks-replay-count = Solo contar los eventos
portal-webhooks-replay-begun = La repetición ha empezado.
portal-webhooks-replay-ended = La repetición se ha cancelado. Los eventos que ya puso en cola se entregan.
