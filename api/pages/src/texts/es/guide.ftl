# Textos en español: lo que rodea a las páginas de la guía y la página de códigos de error.

guide-contents = Contenido de la guía
guide-pages = Páginas de la guía
guide-guide = Guía
guide-english = La guía está en inglés.
guide-this-server = Este servidor
guide-operations = Todas las operaciones
guide-codes = Códigos de error
guide-problems = Errores
guide-problems-description = Todos los códigos de error de este servidor, con su significado y su remedio.
guide-problems-intro = Cada error es un detalle de problema (RFC 9457) con uno de estos códigos. <a href="/docs/guide">La guía</a> explica la API; consulta también <a href="/docs/">todas las operaciones</a>. Los códigos se explican en inglés.
guide-protocol-codes = { $title } responde a los errores con la forma de { $protocol }. Su <code>{ $member }</code> es uno de estos códigos o uno de los anteriores.
