-- What operators may do, and who may do what: a table adds and reads, an auditor reads, an operator sets up and corrects.

CREATE FUNCTION meters.create_meter(p_name text, p_wager text, p_seed bigint, p_share_bp integer, p_reserve_bp integer, p_cap bigint,
                                    p_rounding text, p_percents integer[], p_order text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
BEGIN
    INSERT INTO meters.meter (name, wager, seed, share_bp, reserve_bp, cap, rounding, percents, award_order)
    VALUES (p_name, p_wager, p_seed, p_share_bp, p_reserve_bp, p_cap, p_rounding, p_percents, p_order);
    INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)
    VALUES (p_name, 1, 'seed', 1, p_seed, p_seed, p_seed, 0, p_seed);
END $$;

CREATE FUNCTION meters.enrol(p_table text, p_meter text, p_login name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
BEGIN
    PERFORM FROM meters.meter WHERE name = p_meter;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no meter %', p_meter USING ERRCODE = 'ME001';
    END IF;
    IF EXISTS (SELECT FROM meters.enrolment AS s JOIN meters.meter AS m ON m.name = s.meter
                WHERE s.table_name = p_table AND s.meter <> p_meter
                  AND m.wager = (SELECT wager FROM meters.meter WHERE name = p_meter)) THEN
        RAISE EXCEPTION 'table % has a meter for that wager already', p_table USING ERRCODE = 'ME001';
    END IF;
    INSERT INTO meters.enrolled (table_name, login) VALUES (p_table, p_login)
        ON CONFLICT (table_name) DO UPDATE SET login = coalesce(excluded.login, meters.enrolled.login);
    INSERT INTO meters.enrolment (table_name, meter) VALUES (p_table, p_meter) ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION meters.propose(p_meter text, p_change bigint, p_reason text, p_by text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
    INSERT INTO meters.proposal (meter, change, reason, proposed_by) VALUES (p_meter, p_change, p_reason, p_by)
    RETURNING number
$$;

CREATE FUNCTION meters.approve(p_number bigint, p_by text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    p meters.proposal;
    m meters.meter;
    h meters.hold;
    v_least bigint;
BEGIN
    SELECT * INTO p FROM meters.proposal WHERE number = p_number FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no proposal %', p_number USING ERRCODE = 'ME001';
    ELSIF p.approved_by IS NOT NULL THEN
        RAISE EXCEPTION 'proposal % was approved by % already', p_number, p.approved_by USING ERRCODE = 'ME007';
    ELSIF p.proposed_by = p_by OR p.login = session_user THEN
        RAISE EXCEPTION 'proposal % is %''s, made with the login %: another person approves it with a login of their own',
            p_number, p.proposed_by, p.login USING ERRCODE = 'ME007';
    END IF;
    SELECT * INTO m FROM meters.meter WHERE name = p.meter FOR UPDATE;
    SELECT * INTO h FROM meters.hold WHERE meter = p.meter AND state = 'fixed';
    v_least := CASE WHEN h.ticket IS NULL THEN m.floor WHEN h.percent = 100 THEN h.left_over
                    ELSE h.left_over + least(m.floor, m.amount - h.left_over) END;
    IF m.amount + p.change < v_least OR m.amount + p.change > coalesce(m.cap, m.amount + p.change) THEN
        RAISE EXCEPTION 'meter % shows % cents and must keep %: it cannot move by %', p.meter, m.amount, v_least, p.change
            USING ERRCODE = 'ME007';
    END IF;
    UPDATE meters.proposal SET approved_by = p_by, approved_at = clock_timestamp() WHERE number = p_number;
    INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor, proposed_by, approved_by,
                               reason)
    VALUES (p.meter, m.version + 1, 'correction', p_number, p.change, p.change, m.amount + p.change, m.reserve, m.floor,
            p.proposed_by, p_by, p.reason);
    RETURN m.amount + p.change;
END $$;

DO $$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['meters_table', 'meters_operator', 'meters_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = v_role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
        END IF;
    END LOOP;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA meters FROM PUBLIC;
GRANT USAGE ON SCHEMA meters TO meters_table, meters_operator, meters_auditor;
GRANT SELECT ON ALL TABLES IN SCHEMA meters TO meters_operator, meters_auditor;
GRANT SELECT ON meters.meter, meters.enrolled, meters.enrolment, meters.hold, meters.migration TO meters_table;
GRANT EXECUTE ON FUNCTION meters.push(text, bytea, bigint, bytea, bigint, bytea, jsonb), meters.confirm(text, bytea),
    meters.ask(text, bytea, bigint, text, text, jsonb) TO meters_table;
GRANT EXECUTE ON FUNCTION meters.create_meter(text, text, bigint, integer, integer, bigint, text, integer[], text),
    meters.enrol(text, text, name), meters.propose(text, bigint, text, text), meters.approve(bigint, text)
    TO meters_operator;
