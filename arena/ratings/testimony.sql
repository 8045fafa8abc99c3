-- rows: the results of a unit as its rows have them
SELECT rotation, digest, scores, places, forfeited FROM results
WHERE tournament = %(tournament)s AND unit = %(unit)s
ORDER BY rotation;
