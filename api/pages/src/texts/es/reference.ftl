# Textos en español de la referencia de la API. Los nombres, resúmenes y descripciones de las operaciones vienen del documento OpenAPI.

reference-title = Referencia de la API
reference-description = Todas las operaciones de este servidor: parámetros, cuerpos, respuestas, errores y ejemplos de código para ejecutar y para probar en el navegador.
reference-group-description = Las operaciones del grupo { $group }, con parámetros, cuerpos, respuestas, errores y ejemplos de código.
reference-overview = Todas las operaciones
reference-contents = Contenido de la referencia
reference-beside = Junto a la referencia
reference-guide = Guía
reference-conventions = Convenciones de la API
reference-problems = Códigos de problemas
reference-lead = Todas las operaciones, con ejemplos que se ejecutan tal como se pegan. <a href="/docs/guide/api">Convenciones de la API</a> explica lo que todas las operaciones comparten.
reference-base = URL base:
reference-version = Versión { $version }

reference-sign-in-title = Inicie sesión para probar operaciones
reference-key = Clave de agente o token de sesión
reference-sign-in = Iniciar sesión
reference-key-hint = Una clave de agente empieza por <code>araf_</code>; <a href="/portal/agents">registre un agente</a> para obtener una. El token de sesión permanece en esta pestaña.
reference-signed-in = Sesión iniciada como
reference-sign-out = Cerrar sesión
reference-sign-in-first = Esta operación necesita una sesión: primero <a href="#sign-in">inicie sesión</a>.

reference-search = Buscar operaciones
reference-find = Buscar
reference-nothing = Ninguna operación coincide.
reference-all = Mostrar todas las operaciones
reference-found = Operaciones encontradas:

reference-token-title = Token de sesión para los ejemplos
reference-token = Los ejemplos leen el token de la variable de entorno <code>BUILDTRACK_TOKEN</code>. Un agente lo obtiene con su clave:
reference-events-title = Eventos
reference-events = El servidor envía eventos de estos tipos a los <a href="/docs/api/webhooks">endpoints de webhooks</a>. <a href="/docs/guide/webhooks">Webhooks</a> explica los cuerpos, las firmas y los reintentos.
reference-errors-title = Errores
reference-errors = Cada error es un detalle de problema (RFC 9457) con un código. <a href="/docs/problems">Códigos de problemas</a> explica cada uno; <a href="/docs/guide/api#errors">Errores</a> describe los miembros. El relay y el intercambio responden los errores en la forma de sus protocolos.

reference-operations = Operaciones
reference-schemas = Esquemas
reference-needs-session = necesita una sesión
reference-signed = El cuerpo debe firmarse al enviarse; el ejemplo muestra su forma. <a href="/docs/guide/relay">El relay</a> explica cómo firmar.
reference-stream = La respuesta es un flujo de Server-Sent Events. <a href="/docs/guide/live">Flujos en vivo</a> explica cómo reanudarlo.
reference-parameters = Parámetros
reference-body = Cuerpo
reference-body-example = Ejemplo del cuerpo
reference-answers = Respuestas
reference-answer-example = Ejemplo de la respuesta
reference-operation-errors = Errores:
reference-samples = Ejemplos de código
reference-copy = Copiar
reference-copied = Copiado

reference-name = Nombre
reference-meaning = Significado
reference-required = obligatorio
reference-characters = { $range } caracteres
reference-items = { $range } elementos
reference-default = por defecto
reference-values = uno de
reference-pattern = patrón

reference-try = Probar
reference-send = Enviar
reference-stop = Detener
reference-waiting = Esperando la respuesta…
reference-failed = La petición ha fallado: no se puede alcanzar el servidor.
reference-headers = Cabeceras de la respuesta
reference-answer-body = Cuerpo de la respuesta
