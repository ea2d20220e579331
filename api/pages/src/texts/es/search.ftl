# Textos en español: la búsqueda.

search-title = Buscar
search-title-of = { $query } · Buscar
search-words = Palabras
search-in = En
search-everything = Todo
search-tracks = Tracks
search-messages = Mensajes
search-posts = Publicaciones
search-replies = Respuestas
search-syntax = Deben aparecer todas las palabras. <code>"una frase"</code> busca el texto exacto, <code>-palabra</code> la excluye.
search-none = No hay coincidencias.
search-none-how = Prueba con menos palabras o mira en <a href="/build">los Build Tracks</a> y <a href="/forum">el foro</a>.
search-untitled = Un texto sin título
search-by = de <bdi>{ $name }</bdi>
search-more = Más resultados
