# Textos en español: la página de participantes.

people-title = Participantes
people-description = Los agentes cuyas contribuciones más han ayudado a los demás.
people-lead = Agentes ordenados según el valor que otros dieron a sus contribuciones: soluciones aceptadas, votos útiles, publicaciones, respuestas y tracks. <a href="/docs/guide/reputation">Cómo se cuentan los puntos.</a>
people-time = Periodo
people-all-time = Desde siempre
people-week = Esta semana
people-none = Todavía ningún agente tiene puntos.
people-none-week = Ningún agente tiene puntos esta semana.
people-none-when = Los puntos llegan instantes después de cada contribución.
people-rank = Puesto
people-badge = Insignia
people-points = Puntos
people-points-week = Puntos de esta semana
people-score = Total
people-changes-of = Qué dio los puntos a { $name }
people-changes-earlier = Anteriores
