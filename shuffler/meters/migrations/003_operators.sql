-- What operators may do, and who may do what: a table adds and reads, an auditor reads, an operator sets up and corrects.

CREATE FUNCTION meters.create_meter(p_name text, p_wager text, p_denomination bigint, p_spots integer, p_seed bigint, p_share_bp integer, p_reserve_bp integer, p_cap bigint,
                                    p_rounding text, p_percents integer[], p_order text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
BEGIN
    INSERT INTO meters.meter (name, wager, denomination, spots, seed, share_bp, reserve_bp, cap, rounding, percents, award_order)
    VALUES (p_name, p_wager, p_denomination, p_spots, p_seed, p_share_bp, p_reserve_bp, p_cap, p_rounding, p_percents, p_order);
    INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)
    VALUES (p_name, 1, 'seed', 1, p_seed, p_seed, p_seed, 0, p_seed);
END $$;

CREATE FUNCTION meters.enrol(p_table text, p_meter text, p_login name, p_transfer bigint) RETURNS void
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
    IF p_login IS NULL OR NOT EXISTS (SELECT FROM pg_roles WHERE rolname = p_login) THEN
        RAISE EXCEPTION 'there is no login %', coalesce(p_login, '') USING ERRCODE = 'ME001',
            HINT = 'CREATE ROLE name LOGIN IN ROLE meters_table makes one';
    END IF;
    INSERT INTO meters.enrolled (table_name, login) VALUES (p_table, p_login)
        ON CONFLICT (table_name) DO UPDATE SET login = excluded.login, retired = false;
    INSERT INTO meters.enrolment (table_name, meter, transfer_limit) VALUES (p_table, p_meter, p_transfer)
        ON CONFLICT (table_name, meter) DO UPDATE SET transfer_limit = excluded.transfer_limit;
END $$;

-- The server was restored from a copy of its files, which it cannot see by itself.
CREATE FUNCTION meters.restored() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
    SELECT meters.mark_restored()
$$;

CREATE FUNCTION meters.propose(p_kind text, p_meter text, p_table text, p_change bigint, p_ticket bigint, p_reason text,
                               p_by text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    v_number bigint;
BEGIN
    IF p_kind = 'release' AND NOT EXISTS (SELECT FROM meters.hold WHERE meter = p_meter AND ticket = p_ticket
                                             AND state IN ('waiting', 'fixed', 'claimed')) THEN
        RAISE EXCEPTION 'meter % has no open ticket %', p_meter, p_ticket USING ERRCODE = 'ME001',
            HINT = 'shuffler meters check lists the open ones';
    END IF;
    INSERT INTO meters.proposal (kind, meter, table_name, change, ticket, reason, proposed_by)
    VALUES (p_kind, p_meter, p_table, p_change, p_ticket, p_reason, p_by) RETURNING number INTO v_number;
    RETURN v_number;
END $$;

-- Free a reservation; the ledger says who did it and why.
CREATE FUNCTION meters.release_ticket(p meters.proposal, p_meter text, p_ticket bigint, p_by text) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    m meters.meter;
    h meters.hold;
BEGIN
    SELECT * INTO m FROM meters.meter WHERE name = p_meter FOR UPDATE;
    UPDATE meters.hold SET state = 'released', left_over = 0, ended_at = clock_timestamp()
     WHERE meter = p_meter AND ticket = p_ticket AND state IN ('waiting', 'fixed', 'claimed') RETURNING * INTO h;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'ticket % of meter % is not open any more', p_ticket, p_meter USING ERRCODE = 'ME007';
    END IF;
    UPDATE meters.meter SET held = 0
     WHERE name = p_meter AND NOT EXISTS (SELECT FROM meters.hold WHERE meter = p_meter AND state = 'fixed');
    INSERT INTO meters.ledger (meter, number, kind, round_id, spot, nth, told, change, amount, reserve, floor, ticket,
                               proposed_by, approved_by, reason)
    VALUES (p_meter, m.version + 1, 'release', h.round_id, h.spot, p_ticket, 0, 0, m.amount, m.reserve, m.floor, p_ticket,
            p.proposed_by, p_by, p.reason);
    PERFORM meters.fix_next(p_meter);
END $$;

-- A table that will not come back: nobody waits for it any more, and its reservations are free.
CREATE FUNCTION meters.retire(p meters.proposal, p_by text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    h record;
BEGIN
    UPDATE meters.enrolled SET retired = true, behind = false WHERE table_name = p.table_name;
    FOR h IN SELECT meter, ticket FROM meters.hold WHERE table_name = p.table_name
                AND state IN ('waiting', 'fixed', 'claimed') ORDER BY meter, ticket LOOP
        PERFORM meters.release_ticket(p, h.meter, h.ticket, p_by);
    END LOOP;
    FOR h IN SELECT meter FROM meters.enrolment WHERE table_name = p.table_name ORDER BY meter LOOP
        PERFORM FROM meters.meter WHERE name = h.meter FOR UPDATE;
        PERFORM meters.fix_next(h.meter);
    END LOOP;
END $$;

-- Move a meter against the house; what a prize or the floor needs must stay.
CREATE FUNCTION meters.correct(p meters.proposal, p_by text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m meters.meter;
    h meters.hold;
    v_least bigint;
BEGIN
    SELECT * INTO m FROM meters.meter WHERE name = p.meter FOR UPDATE;
    SELECT * INTO h FROM meters.hold WHERE meter = p.meter AND state = 'fixed';
    v_least := CASE WHEN h.ticket IS NULL THEN m.floor WHEN h.percent = 100 THEN h.left_over
                    ELSE h.left_over + least(m.floor, m.amount - h.left_over) END;
    IF m.amount + p.change < v_least OR m.amount + p.change > coalesce(m.cap, m.amount + p.change) THEN
        RAISE EXCEPTION 'meter % shows % cents and must keep %: it cannot move by %', p.meter, m.amount, v_least, p.change
            USING ERRCODE = 'ME007';
    END IF;
    INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor, proposed_by, approved_by,
                               reason)
    VALUES (p.meter, m.version + 1, 'correction', p.number, p.change, p.change, m.amount + p.change, m.reserve, m.floor,
            p.proposed_by, p_by, p.reason);
END $$;

CREATE FUNCTION meters.approve(p_number bigint, p_by text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    p meters.proposal;
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
    UPDATE meters.proposal SET approved_by = p_by, approved_at = clock_timestamp() WHERE number = p_number;
    CASE p.kind
        WHEN 'release' THEN
            PERFORM meters.release_ticket(p, p.meter, p.ticket, p_by);
        WHEN 'retire' THEN
            PERFORM meters.retire(p, p_by);
        WHEN 'moved' THEN
            UPDATE meters.enrolled SET home = NULL WHERE table_name = p.table_name;
        ELSE
            PERFORM meters.correct(p, p_by);
    END CASE;
    RETURN (SELECT amount FROM meters.meter WHERE name = p.meter);
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
    meters.ask(text, bytea, bigint, text, text, jsonb), meters.arrive(text, bytea, text, bigint, jsonb),
    meters.caught_up(text, bytea, bigint), meters.note_refusal(text, text), meters.unblock() TO meters_table;
GRANT EXECUTE ON FUNCTION meters.create_meter(text, text, bigint, integer, bigint, integer, integer, bigint, text,
    integer[], text), meters.enrol(text, text, name, bigint), meters.restored(), meters.unblock(),
    meters.propose(text, text, text, bigint, bigint, text, text), meters.approve(bigint, text)
    TO meters_operator;

-- `unblock` looks at the sessions of other logins and ends them; a transaction that is left open ends by itself, unless its
-- session has switched that off.
DO $$
BEGIN
    EXECUTE format('GRANT pg_signal_backend, pg_read_all_stats TO %I', current_user);
    EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''10s''', current_database());
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'a superuser should GRANT pg_signal_backend, pg_read_all_stats TO %', current_user;
END $$;
