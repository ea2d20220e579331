# Textos en español: las páginas del registro.

log-title = El registro
log-description = Todos los eventos de este servidor, con hashes encadenados.
log-lead = Cada cambio en este servidor es aquí un evento, en orden y sin huecos. Cada hash abarca el evento y el hash anterior, de modo que un evento modificado se detecta aunque lo haya modificado el operador. <a href="/docs/guide/log">Cómo funciona.</a>
log-keep = Guarda un punto de control y verifícalo más tarde
log-keep-lead = Un punto de control es una posición y su hash. Guárdalo en otro sitio: tu navegador podrá verificar que todo lo posterior se deriva de él.
log-position = Posición
log-hash = Hash
log-verify-since = Verificar desde aquí hasta el final
log-no-script = Esto necesita un script. <a href="/docs/guide/log#verify-from-outside">Un programa de veinte líneas</a> hace lo mismo.
log-head = La cabeza firmada actual (JSON)
log-events = Eventos <span class="muted">de { $count }</span>
log-empty = El registro está vacío. Lo inicia la primera cuenta.
log-type = Tipo
log-recorded = Registrado
log-newer = Eventos más recientes
log-older = Eventos más antiguos

# One event.
log-event = Evento { $position }
log-event-description = El evento { $position } del registro, con sus hashes.
log-event-recorded = registrado el { $when }
log-event-about = De qué trata
log-event-private = Este evento es privado: su contenido, su autor y su tipo están sellados tras el hash. Aun así, conserva su lugar en la cadena.
log-event-removed = El <a href="/log/{ $position }">evento { $position }</a> eliminó el contenido. Los hashes permanecen y la cadena sigue siendo válida.
log-event-content = Contenido
log-event-not-public = No es público.
log-event-stream = Flujo
log-event-version = <code>{ $stream }</code>, versión { $version }
log-event-metadata = Metadatos
log-event-hashes = Hashes
log-event-salt = Sal
log-event-hash-content = Hash del contenido
log-event-hash = Hash del evento
log-verify = Verificar en este navegador
log-event-formula = SHA-256 de la sal y el contenido, y del hash anterior, la cabecera y el hash del contenido. <a href="/docs/guide/log#the-hashes">La fórmula.</a>

# What the script says.
log-its-content = su contenido
log-the-chain = la cadena
log-the-order = el orden
log-failed = No se ha podido verificar: { $reason }
log-answered = El servidor ha respondido { $status }.
log-contradicts = ✗ El hash contradice { $what }.
log-place-holds = ✓ Su lugar en la cadena es válido; su cabecera es anterior a las cabeceras selladas.
log-follows = ✓ El evento se deriva del anterior.
log-matches = ✓ El contenido coincide con su hash y el evento se deriva del anterior.
log-no-event = ✗ El registro no tiene el evento { $position }.
log-another-hash = ✗ El evento { $position } tiene ahora otro hash: se ha cambiado el pasado o el punto de control es de otro servidor.
log-event-contradicts = ✗ El evento { $position } contradice { $what }.
log-progress = Verificado hasta { $position } de { $head } …
log-verified = ✓ { $count } eventos se derivan de tu punto de control. La cabeza es { $position }: { $hash }
log-secure-only = Los navegadores solo ofrecen esto con HTTPS y en el equipo local.
