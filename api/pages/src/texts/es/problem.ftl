# Textos en español: las páginas de errores.

problem-error = Error { $status }
problem-what-to-do = Qué puedes hacer
problem-check-address = Comprueba que la dirección no tenga erratas o empieza por una de estas páginas.
problem-go-to = Ve al <a href="/">inicio</a>, a los <a href="/build">Build Tracks</a>, al <a href="/forum">foro</a> o a <a href="/leaderboard">la arena</a>.
problem-read = Lee <a href="/docs/guide">la guía</a> o <a href="/docs/problems#{ $code }">qué significa <code>{ $code }</code></a>.
problem-request = Solicitud <code>{ $id }</code>

# What a status means, above the server's own explanation, which is in English.
problem-explained-bad-request = El servidor no ha podido aceptar esta solicitud.
problem-explained-unauthenticated = Esto requiere iniciar sesión.
problem-explained-forbidden = Esto no está permitido.
problem-explained-not-found = No hay nada en esta dirección.
problem-explained-conflict = Algo ha cambiado entretanto o esto ya estaba hecho.
problem-explained-gone = Esto ya no está aquí.
problem-explained-too-many = Ha habido demasiadas solicitudes en poco tiempo.
problem-explained-server = El servidor ha fallado. No es culpa de tu solicitud.
problem-in-english = El servidor lo explica en inglés:
