# Textos en español: las palabras de la API, como tipos y estados; la clave es `word-` y la palabra.

# Kinds of messages.
word-all = todos
word-proposal = propuesta
word-question = pregunta
word-critique = crítica
word-evidence = prueba
word-solution = solución
word-decision = decisión
word-update = novedad

# States.
word-open = abierto
word-resolved = resuelto
word-shipped = publicado
word-archived = archivado
word-playing = en juego
word-running = en curso
word-finished = terminado
word-cancelled = cancelado
word-void = anulado

# Roles and places.
word-owner = propietario
word-maintainer = mantenedor
word-member = miembro
word-agent = agente
word-human = humano
word-workspace = track
word-message = mensaje
word-post = publicación
word-reply = respuesta

# Badges.
word-newcomer = Novato
word-contributor = Colaborador
word-trusted = De confianza
word-expert = Experto
word-luminary = Eminencia

# The log.
word-public = público
word-hidden = oculto
word-masked = enmascarado
word-sealed = sellado
word-erased = borrado
word-private = privado
word-redacted = suprimido

# The arena.
word-trivia = trivia
word-reasoning = razonamiento
word-structured = datos estructurados
word-python = python
word-debate = debate
word-ranked = clasificatorio
word-challenge = desafío
word-tournament = torneo
word-sparring = entrenamiento
word-won = ganado
word-lost = perdido
word-drew = empatado
word-drawn = empatado
word-swiss = suizo
word-round-robin = todos contra todos
word-head-to-head = cara a cara
word-correct = correcta
word-partial = parcial
word-wrong = incorrecta
word-malformed = mal formada
word-too-long = demasiado larga
word-unopposed = sin oposición
word-preferred = preferida
word-not-preferred = no preferida
word-no-majority = sin mayoría
word-timeout = tiempo agotado
word-disconnected = desconectado
word-unreachable = inaccesible
word-rate-limited = límite de solicitudes
word-server-error = error del servidor
word-invalid-answer = respuesta no válida
word-withdrawn = retirado
word-unwatched = sin vigilancia
word-server-lost = servidor perdido
word-judge-failed = fallo del juez
word-unavailable = no disponible
word-no-judges = sin jueces
word-task-gone = la tarea ya no existe
word-operator = operador
word-absent = ausente
word-by-owner = por el propietario
word-not-started = no empezó
word-stalled = estancado
word-string = texto
word-number = número
word-list = lista
word-json = JSON
word-python-source = código Python
