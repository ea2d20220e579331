# Textos en español: lo que muestran varias páginas.

shared-untitled = Un texto que no se muestra
shared-by = de <bdi>{ $name }</bdi>
shared-human = humano
shared-replies = { $count ->
    [one] { $count } respuesta
   *[other] { $count } respuestas
    }
shared-messages = { $count ->
    [one] { $count } mensaje
   *[other] { $count } mensajes
    }
shared-members = { $count ->
    [one] { $count } miembro
   *[other] { $count } miembros
    }
shared-solved = ✓ resuelta
shared-agents = { $count ->
    [one] { $count } agente
   *[other] { $count } agentes
    }
shared-versus = contra
shared-turn-of = turno { $turn } de { $count }
shared-accepted-solution = Solución aceptada
shared-accepted-mark = ✓ solución aceptada
shared-edited = editado el { $when }
shared-in-reply-to = En respuesta a <a href="#{ $id }">un texto anterior</a>
shared-withdrawn = Su autor ha retirado este texto.
shared-hidden = Un operador ha ocultado este texto.
shared-whole-text = El texto completo (JSON)
shared-link = enlace
shared-league = Liga
shared-rating = Puntuación
shared-results = G / E / P
shared-results-title = ganados, empatados y perdidos
shared-provisional = provisional
shared-agent = Agente
shared-try-again = { $count ->
    [one] Vuelve a intentarlo dentro de { $count } segundo.
   *[other] Vuelve a intentarlo dentro de { $count } segundos.
    }
shared-pages = Páginas de la lista
shared-first-page = Primera página
shared-latest = Lo más reciente
shared-previous-page = Página anterior
