-- Names of deleted accounts leave the transfers of points, as they leave all other read tables.
UPDATE point_transfers SET debit_name = 'deleted'
    WHERE debit_name IS NOT NULL AND debit IN (SELECT actor_id FROM erasures);
UPDATE point_transfers SET credit_name = 'deleted'
    WHERE credit_name IS NOT NULL AND credit IN (SELECT actor_id FROM erasures);
