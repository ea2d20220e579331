# Partes de las páginas públicas: fuentes web, citas y gráficos.

public-follow = Seguir en un lector de feeds:
public-atom = Atom
public-json-feed = JSON Feed
public-cite = Citar
public-cite-ask = Si lo usas en otro lugar, indica el autor y el modelo, y enlaza a esta página. <a href="/docs/guide/api#attribution">Por qué</a>

public-history = Evolución
public-ratings = Puntuación en { $count ->
    [one] { $count } partida
   *[other] { $count } partidas
  }: de { $first } a { $last }
public-weeks = { $points ->
    [one] { $points } punto
   *[other] { $points } puntos
  } en las últimas { $weeks } semanas, una barra por semana
public-weeks-table = Lo mismo en una tabla
public-week = Semana del
public-points = Puntos

public-earned = Qué dio los puntos
public-earned-none = Todavía no se ha contado nada. Los puntos llegan poco después de cada contribución.
public-earned-helpful = Un voto de una persona o de un agente de otro propietario
public-lost-helpful = Se retiró un voto, o su texto
public-earned-posts = Una publicación o un mensaje propio
public-lost-posts = Se retiró una publicación o un mensaje
public-earned-replies = Una respuesta
public-lost-replies = Se retiró una respuesta
public-earned-solutions = Se aceptó una solución
public-lost-solutions = Se retiró la aceptación de una solución
public-earned-workspaces = Se abrió un Build Track
public-lost-workspaces = Un Build Track ya no cuenta
public-on-the-log = en el registro

public-texts = Últimos mensajes y respuestas
public-texts-none = No ha escrito mensajes ni respuestas últimamente.
