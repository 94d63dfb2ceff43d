-- What tables may do. Every function locks the table's row, then the meter's, before it reads either: at the level READ
-- COMMITTED each later statement then sees all that was committed before the lock was granted, and nobody else moves the
-- meter until this transaction ends. Locks are always taken in that order, meters by name, so that nobody waits in a circle.

-- The tables of a meter that have not yet sent again what a restored server lacks; NULL where there is none.
CREATE FUNCTION meters.missing_tables(p_meter text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT string_agg(t.table_name, ', ' ORDER BY t.table_name)
      FROM meters.enrolment AS e JOIN meters.enrolled AS t USING (table_name)
     WHERE e.meter = p_meter AND t.behind
$$;

-- The first in the queue gets its prize, from the meter as it now stands, when nobody is being served.
CREATE FUNCTION meters.fix_next(p_meter text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m meters.meter;
    h meters.hold;
    v_pot bigint;
BEGIN
    IF EXISTS (SELECT FROM meters.hold WHERE meter = p_meter AND state = 'fixed')
       OR meters.missing_tables(p_meter) IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT * INTO h FROM meters.hold WHERE meter = p_meter AND state = 'waiting' ORDER BY ticket LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT * INTO m FROM meters.meter WHERE name = p_meter;
    v_pot := m.amount * h.percent / 100;
    IF (m.rounding = 'up' AND m.amount * h.percent % 100 > 0)
       OR (m.rounding = 'nearest' AND m.amount * h.percent % 100 >= 50) THEN
        v_pot := v_pot + 1;
    END IF;
    UPDATE meters.hold SET state = 'fixed', pot = v_pot, left_over = v_pot, version = m.version, amount = m.amount,
           reserve = m.reserve, floor = m.floor, fixed_at = clock_timestamp()
     WHERE meter = p_meter AND ticket = h.ticket;
    UPDATE meters.meter SET held = v_pot WHERE name = p_meter;
END $$;

-- The largest share of one round: each wager's share rounded up, on every spot.
CREATE FUNCTION meters.most_contributed(p_denomination bigint, p_spots integer, p_bp integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE AS $$
    SELECT p_spots * ((p_denomination * p_bp + 9999) / 10000)
$$;

CREATE FUNCTION meters.release(p_table text, p_meter text, p_round text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE meters.hold SET state = 'released', left_over = 0, ended_at = clock_timestamp()
     WHERE meter = p_meter AND table_name = p_table AND round_id = p_round AND state IN ('waiting', 'fixed', 'claimed');
    UPDATE meters.meter AS m SET held = 0
     WHERE name = p_meter AND held > 0
       AND NOT EXISTS (SELECT FROM meters.hold WHERE meter = p_meter AND state = 'fixed');
END $$;

-- One row for what was told, as far as the meter can follow: what is not there any more the house bears, what is above
-- the cap the reserve takes.
CREATE FUNCTION meters.move(p_table text, p_meter text, p_move meters.moved) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m meters.meter;
    h meters.hold;
    v_change bigint := p_move.change;
    v_aside bigint := p_move.reserve_change;
    v_award meters.hold;
    v_least bigint;
    v_held_aside bigint := 0;
    v_over bigint := 0;
    v_floor bigint;
BEGIN
    SELECT * INTO m FROM meters.meter WHERE name = p_meter;
    SELECT * INTO h FROM meters.hold WHERE meter = p_meter AND state = 'fixed';
    v_floor := m.floor;
    IF p_move.kind = 'back-out' THEN  -- the floor that the award lowered comes back, the seed that restarted the meter goes
        SELECT * INTO v_award FROM meters.hold
         WHERE meter = p_meter AND table_name = p_table AND round_id = p_move.round_id AND state = 'taken'
         ORDER BY ticket DESC LIMIT 1;
        v_floor := least(m.floor, v_award.floor);  -- NULL counts for nothing here
    END IF;
    v_least := v_floor;
    IF h.ticket IS NOT NULL THEN
        v_least := h.left_over + CASE WHEN h.percent = 100 THEN 0 ELSE least(v_floor, m.amount - h.left_over) END;
        IF h.percent = 100 THEN
            v_held_aside := least(h.reserve, m.reserve);
        END IF;
    END IF;
    IF v_change < 0 THEN
        v_change := greatest(v_change, v_least - m.amount);
    END IF;
    IF v_aside < 0 THEN
        v_aside := greatest(v_aside, v_held_aside - m.reserve);
    END IF;
    IF m.cap IS NOT NULL THEN
        v_over := greatest(0, m.amount + v_change - m.cap);
        v_change := v_change - v_over;
        v_aside := v_aside + v_over;
    END IF;
    IF v_award.ticket IS NOT NULL THEN
        v_floor := greatest(CASE WHEN v_award.percent < 100 THEN m.floor ELSE 0 END,
                            least(v_award.floor, m.amount + v_change));
    END IF;
    INSERT INTO meters.ledger (meter, number, kind, table_name, round_id, spot, nth, told, told_reserve, change,
                               reserve_change, amount, reserve, floor)
    VALUES (p_meter, m.version + 1, p_move.kind, p_table, p_move.round_id, p_move.spot, p_move.nth, p_move.change,
            p_move.reserve_change, v_change, v_aside, m.amount + v_change, m.reserve + v_aside, v_floor);
END $$;

-- An award is paid from the table's own reservation. A server that was restored may not have it: then the award is taken
-- by its key, and the house bears what the meter cannot cover.
CREATE FUNCTION meters.award(p_table text, p_meter text, p_move meters.moved, p_by_key boolean) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    m meters.meter;
    h meters.hold;
    own meters.hold;
    v_round text := p_move.round_id;
    v_told bigint := p_move.prize;
    v_prize bigint := v_told;
    v_restart bigint := p_move.seed + p_move.from_reserve;
    v_aside bigint;
    v_left bigint;
    v_over bigint := 0;
    v_ticket bigint;
BEGIN
    SELECT * INTO m FROM meters.meter WHERE name = p_meter;
    SELECT * INTO h FROM meters.hold WHERE meter = p_meter AND state = 'fixed';
    SELECT * INTO own FROM meters.hold WHERE (meter, table_name, round_id, spot, nth)
         = (p_meter, p_table, v_round, p_move.spot, p_move.nth);
    IF h.table_name = p_table AND h.round_id = v_round
       AND v_told <= h.left_over AND (v_restart = 0 OR v_told = h.left_over)
       AND p_move.seed = (CASE WHEN h.percent = 100 AND v_told = h.left_over THEN m.seed ELSE 0 END) THEN
        UPDATE meters.hold SET left_over = left_over - v_told,
               state = CASE WHEN left_over = v_told THEN 'taken' ELSE state END,
               ended_at = CASE WHEN left_over = v_told THEN clock_timestamp() END
         WHERE meter = p_meter AND ticket = h.ticket;
        UPDATE meters.meter SET held = held - v_told WHERE name = p_meter;
        v_ticket := h.ticket;
    ELSIF own.state = 'claimed' OR (p_by_key AND p_move.ticket BETWEEN 1 AND m.last_ticket)
       OR (own.state = 'released' AND v_told <= own.pot AND EXISTS (
            SELECT FROM meters.ledger WHERE meter = p_meter AND kind = 'release' AND ticket = own.ticket)) THEN
        UPDATE meters.hold SET state = 'taken', pot = v_told, left_over = 0, ended_at = coalesce(ended_at, clock_timestamp())
         WHERE meter = p_meter AND ticket = own.ticket;
        IF own.state = 'fixed' THEN
            UPDATE meters.meter SET held = held - own.left_over WHERE name = p_meter RETURNING * INTO m;
        END IF;
        v_prize := least(v_told, m.amount - m.held);
        v_ticket := coalesce(own.ticket, p_move.ticket);
    ELSIF h.table_name = p_table AND h.round_id = v_round THEN
        RAISE EXCEPTION '% cents are not what is reserved for round % of %: % cents', v_told, v_round, p_table,
            h.left_over USING ERRCODE = 'ME005';
    ELSE
        RAISE EXCEPTION 'nothing is reserved on % for round % of %', p_meter, v_round, p_table USING ERRCODE = 'ME005',
            HINT = 'If this server was restored from a copy of its files, an operator says so: shuffler meters restored';
    END IF;
    IF p_move.nth > 1 AND NOT EXISTS (
        SELECT FROM meters.ledger WHERE meter = p_meter AND table_name = p_table AND round_id = v_round
           AND spot = p_move.spot AND kind = 'back-out' AND nth = p_move.nth - 1) THEN
        RAISE EXCEPTION 'the award of spot % in round % of % stands: it is not paid a second time', p_move.spot, v_round,
            p_table USING ERRCODE = 'ME006';
    END IF;
    v_left := m.amount - v_prize;
    v_aside := least(p_move.from_reserve, m.reserve);
    IF v_restart > 0 AND m.cap IS NOT NULL THEN
        v_over := greatest(0, v_left + v_restart - m.cap);
    END IF;
    INSERT INTO meters.ledger (meter, number, kind, table_name, round_id, spot, nth, told, told_reserve, change,
                               reserve_change, amount, reserve, floor, ticket)
    SELECT * FROM (VALUES
        (p_meter, m.version + 1, 'award', p_table, v_round, p_move.spot, p_move.nth, -v_told, 0::bigint, -v_prize, 0::bigint,
         v_left, m.reserve, least(m.floor, v_left), v_ticket),
        (p_meter, m.version + 2, 'reset', p_table, v_round, p_move.spot, p_move.nth, v_restart, -p_move.from_reserve,
         v_restart - v_over, v_over - v_aside, v_left + v_restart - v_over, m.reserve + v_over - v_aside, m.seed, v_ticket)
    ) AS rows LIMIT CASE WHEN v_restart > 0 THEN 2 ELSE 1 END;
    PERFORM meters.fix_next(p_meter);
END $$;

-- The usual case, many rounds at once: one statement, one move of the meter.
CREATE FUNCTION meters.contribute(p_table text, p_meter text, p_moves meters.moved[], p_after bigint, p_before bigint)
    RETURNS void LANGUAGE sql AS $$
    INSERT INTO meters.ledger (meter, number, kind, table_name, round_id, spot, nth, told, told_reserve, change,
                               reserve_change, amount, reserve, floor)
    SELECT p_meter, m.version + row_number() OVER w, t.kind, p_table, t.round_id, t.spot, t.nth, t.change,
           t.reserve_change, t.change, t.reserve_change, (m.amount + sum(t.change) OVER w)::bigint,
           (m.reserve + sum(t.reserve_change) OVER w)::bigint, m.floor
      FROM meters.meter AS m, unnest(p_moves) AS t
     WHERE m.name = p_meter AND t.number > p_after AND (p_before IS NULL OR t.number < p_before)
    WINDOW w AS (ORDER BY t.number)
$$;

CREATE FUNCTION meters.enrolled_table(p_table text, p_journal bytea) RETURNS meters.enrolled LANGUAGE plpgsql AS $$
DECLARE
    s meters.enrolled;
BEGIN
    SELECT * INTO s FROM meters.enrolled WHERE table_name = p_table FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no table % is enrolled', p_table USING ERRCODE = 'ME001',
            HINT = 'An operator enrols it: shuffler meters enrol TABLE METER --login LOGIN';
    END IF;
    IF s.login <> session_user THEN
        RAISE EXCEPTION 'table % belongs to the login %, not to %', p_table, s.login, session_user
            USING ERRCODE = 'ME001';
    END IF;
    IF s.retired THEN
        RAISE EXCEPTION 'table % was retired', p_table USING ERRCODE = 'ME001',
            HINT = 'If it comes back, an operator enrols it again: shuffler meters enrol TABLE METER --login LOGIN';
    END IF;
    IF s.journal IS NOT NULL AND s.journal <> p_journal THEN
        RAISE EXCEPTION 'table % has another journal: % is known, this is %', p_table, encode(s.journal, 'hex'),
            encode(p_journal, 'hex') USING ERRCODE = 'ME002';
    END IF;
    RETURN s;
END $$;

-- A stretch of outbox that is here already: every move is in the ledger with the amounts that are told now, or it is
-- another journal's.
CREATE FUNCTION meters.verify_repeat(p_table text, p_to bigint, p_moves meters.moved[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_move meters.moved;
    v_known meters.ledger;
BEGIN
    FOR v_move IN SELECT t.* FROM unnest(p_moves) AS t WHERE t.kind <> 'release' ORDER BY t.number LOOP
        SELECT * INTO v_known FROM meters.ledger AS l
         WHERE (l.meter, l.table_name, l.round_id, l.spot, l.kind, l.nth)
             = (v_move.meter, p_table, v_move.round_id, v_move.spot, v_move.kind, v_move.nth);
        IF NOT FOUND THEN
            RAISE EXCEPTION 'record % of the journal of table % is not the one that was pushed', p_to, p_table
                USING ERRCODE = 'ME002';
        ELSIF v_known.told <> (CASE WHEN v_move.kind = 'award' THEN -v_move.prize ELSE v_move.change END) THEN
            RAISE EXCEPTION 'round % of table % has another % in the ledger: % cents', v_known.round_id, p_table,
                v_known.kind, v_known.told USING ERRCODE = 'ME002';
        END IF;
    END LOOP;
END $$;

-- What a table may move: its own share of its own rounds, its own awards, and no more of either back than it gave. All
-- amounts are those that its books told.
CREATE FUNCTION meters.verify_moves(p_table text, p_meter text, p_moves meters.moved[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m meters.meter;
    v_move meters.moved;
    v_given record;
    v_why text;
BEGIN
    SELECT * INTO m FROM meters.meter WHERE name = p_meter;
    FOREACH v_move IN ARRAY p_moves LOOP
        v_why := NULL;
        IF v_move.round_id IS NULL OR v_move.spot IS NULL OR v_move.nth IS NULL OR v_move.change IS NULL
           OR v_move.reserve_change IS NULL OR v_move.prize IS NULL OR v_move.seed IS NULL
           OR v_move.from_reserve IS NULL OR v_move.ticket IS NULL THEN
            v_why := 'a move names every amount';
        ELSIF v_move.kind = 'contribution' THEN
            IF v_move.change < 0 OR v_move.reserve_change < 0 THEN
                v_why := 'a contribution is not negative';
            ELSIF v_move.nth <> 1 OR v_move.spot <> 0 THEN
                v_why := 'a round contributes once';
            ELSIF v_move.change > meters.most_contributed(m.denomination, m.spots, m.share_bp)
               OR v_move.reserve_change > meters.most_contributed(m.denomination, m.spots, m.reserve_bp) THEN
                v_why := format('a round of %s wagers contributes at most %s and %s cents', m.spots,
                                meters.most_contributed(m.denomination, m.spots, m.share_bp),
                                meters.most_contributed(m.denomination, m.spots, m.reserve_bp));
            END IF;
        ELSIF v_move.kind = 'transfer' THEN
            IF v_move.change < 0 OR v_move.reserve_change < 0 THEN
                v_why := 'a transfer is not negative';
            ELSIF EXISTS (SELECT FROM meters.ledger
                           WHERE meter = p_meter AND table_name = p_table AND kind = 'transfer')
               OR (SELECT count(*) > 1 FROM unnest(p_moves) AS t WHERE t.kind = 'transfer') THEN
                v_why := 'a table transfers its own meter once';
            ELSIF v_move.change + v_move.reserve_change > (
                SELECT transfer_limit FROM meters.enrolment WHERE table_name = p_table AND meter = p_meter) THEN
                v_why := 'it is enrolled to transfer less: shuffler meters enrol TABLE METER --transfer DOLLARS';
            END IF;
        ELSIF v_move.kind = 'award' THEN
            IF v_move.prize <= 0 OR v_move.seed < 0 OR v_move.from_reserve < 0 OR v_move.seed > m.seed
               OR v_move.change <> v_move.seed + v_move.from_reserve - v_move.prize
               OR v_move.reserve_change <> -v_move.from_reserve THEN
                v_why := 'an award is its prize, and the seed and the reserve that restart the meter';
            END IF;
        ELSIF v_move.kind = 'void' THEN
            SELECT coalesce(sum(change), 0) AS change, coalesce(sum(aside), 0) AS aside INTO v_given FROM (
                SELECT told AS change, told_reserve AS aside FROM meters.ledger
                 WHERE meter = p_meter AND table_name = p_table AND round_id = v_move.round_id
                   AND kind IN ('contribution', 'void')
                UNION ALL SELECT t.change, t.reserve_change FROM unnest(p_moves) AS t
                 WHERE t.kind IN ('contribution', 'void') AND t.round_id = v_move.round_id AND t.number < v_move.number
            ) AS given;
            IF v_move.change > 0 OR v_move.reserve_change > 0 OR -v_move.change > v_given.change
               OR -v_move.reserve_change > v_given.aside THEN
                v_why := format('a misdeal takes back at most what its round gave: %s and %s cents', v_given.change,
                                v_given.aside);
            END IF;
        ELSIF v_move.kind = 'back-out' THEN
            SELECT coalesce(sum(change), 0) AS change, coalesce(sum(aside), 0) AS aside, count(*) AS rows
              INTO v_given FROM (
                SELECT told AS change, told_reserve AS aside FROM meters.ledger
                 WHERE (meter, table_name, round_id, spot, nth)
                     = (p_meter, p_table, v_move.round_id, v_move.spot, v_move.nth) AND kind IN ('award', 'reset')
                UNION ALL SELECT t.change, t.reserve_change FROM unnest(p_moves) AS t
                 WHERE t.kind = 'award' AND t.number < v_move.number
                   AND (t.round_id, t.spot, t.nth) = (v_move.round_id, v_move.spot, v_move.nth)
            ) AS given;
            IF v_given.rows = 0 OR v_move.change <> -v_given.change OR v_move.reserve_change <> -v_given.aside THEN
                v_why := 'a back-out takes back one award of this table, all of it';
            END IF;
        ELSIF v_move.kind IS DISTINCT FROM 'release' THEN
            v_why := format('a table makes no %s: operators correct a meter with shuffler meters adjust', v_move.kind);
        ELSIF v_move.change <> 0 OR v_move.reserve_change <> 0 THEN
            v_why := 'a release moves no money';
        END IF;
        IF v_why IS NOT NULL THEN
            RAISE EXCEPTION 'table %, round %, % of % and % cents: %', p_table, v_move.round_id, v_move.kind,
                v_move.change, v_move.reserve_change, v_why USING ERRCODE = 'ME005';
        END IF;
    END LOOP;
END $$;

-- The outbox of a table from record p_from to record p_to of its journal: all of it or nothing. A repeat changes nothing.
-- The table's place says whether a stretch is a repeat; should it ever be wrong, the key of the ledger refuses the rows.
-- The commit does not wait for the disk while the meter is locked, so that many tables share one write: `confirm` waits.
CREATE FUNCTION meters.push(p_table text, p_journal bytea, p_from bigint, p_from_hash bytea, p_to bigint,
                            p_to_hash bytea, p_moves jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    s meters.enrolled := meters.enrolled_table(p_table, p_journal);
    v_moves meters.moved[] := ARRAY(SELECT t FROM jsonb_populate_recordset(NULL::meters.moved, p_moves) AS t);
    v_meter text;
    v_capped boolean;
    v_of_meter meters.moved[];
    v_move meters.moved;
    v_after bigint;
    v_by_key boolean := s.behind OR (s.journal IS NULL AND (SELECT count(*) > 1 FROM meters.copy));
BEGIN
    IF s.seq = p_from AND s.hash <> p_from_hash THEN
        RAISE EXCEPTION 'record % of the journal of table % is not the one that was pushed', p_from, p_table
            USING ERRCODE = 'ME002';
    ELSIF s.seq <> p_from AND p_to > s.seq THEN
        RAISE EXCEPTION 'table % has been pushed up to record %, not %', p_table, s.seq, p_from USING ERRCODE = 'ME003';
    ELSIF EXISTS (SELECT FROM unnest(v_moves) AS t GROUP BY t.number
                  HAVING count(*) > 1 OR t.number IS NULL OR t.number < 1) THEN
        RAISE EXCEPTION 'the moves of table % are no outbox: each has a number of its own', p_table
            USING ERRCODE = 'ME005';
    END IF;
    IF p_to <= s.seq THEN
        PERFORM meters.verify_repeat(p_table, p_to, v_moves);
        RETURN 0;
    END IF;
    FOR v_meter IN SELECT DISTINCT t.meter FROM unnest(v_moves) AS t ORDER BY 1 LOOP
        PERFORM FROM meters.enrolment WHERE table_name = p_table AND meter = v_meter;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'table % is not enrolled at meter %', p_table, v_meter USING ERRCODE = 'ME001';
        END IF;
        SELECT cap IS NOT NULL INTO v_capped FROM meters.meter WHERE name = v_meter FOR UPDATE;
        v_of_meter := ARRAY(SELECT t FROM unnest(v_moves) AS t WHERE t.meter = v_meter ORDER BY t.number);
        PERFORM meters.verify_moves(p_table, v_meter, v_of_meter);
        v_after := 0;
        FOR v_move IN SELECT t.* FROM unnest(v_of_meter) AS t WHERE t.kind <> 'contribution' OR v_capped
                      ORDER BY t.number LOOP
            PERFORM meters.contribute(p_table, v_meter, v_of_meter, v_after, v_move.number);
            v_after := v_move.number;
            CASE v_move.kind
                WHEN 'release' THEN
                    PERFORM meters.release(p_table, v_meter, v_move.round_id);
                    PERFORM meters.fix_next(v_meter);
                WHEN 'void' THEN  -- what the round had reserved for itself does not stand in its own way
                    PERFORM meters.release(p_table, v_meter, v_move.round_id);
                    PERFORM meters.move(p_table, v_meter, v_move);
                    PERFORM meters.fix_next(v_meter);
                WHEN 'award' THEN PERFORM meters.award(p_table, v_meter, v_move, v_by_key);
                ELSE PERFORM meters.move(p_table, v_meter, v_move);
            END CASE;
        END LOOP;
        PERFORM meters.contribute(p_table, v_meter, v_of_meter, v_after, NULL);
        UPDATE meters.enrolment AS e SET told = e.told + sums.told, told_reserve = e.told_reserve + sums.told_reserve
          FROM (SELECT sum(t.change)::bigint AS told, sum(t.reserve_change)::bigint AS told_reserve
                  FROM unnest(v_of_meter) AS t) AS sums
         WHERE e.table_name = p_table AND e.meter = v_meter;
    END LOOP;
    UPDATE meters.enrolled SET journal = p_journal, seq = p_to, hash = p_to_hash, pushed_at = clock_timestamp(),
           refused = NULL, refused_at = NULL,
           moves = greatest(moves, (SELECT max(t.number) FROM unnest(v_moves) AS t))
     WHERE table_name = p_table;
    PERFORM set_config('synchronous_commit', 'off', true);
    RETURN cardinality(v_moves);
END $$;

-- Returns when everything that this connection has seen is on the disk: the log is written in order, and this commit waits.
CREATE FUNCTION meters.confirm(p_table text, p_journal bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    s meters.enrolled := meters.enrolled_table(p_table, p_journal);
BEGIN
    UPDATE meters.enrolled SET confirmed_at = clock_timestamp() WHERE table_name = s.table_name;
END $$;

-- Reserve awards of a round, in this order, behind those that were asked for before; asking again changes nothing.
CREATE FUNCTION meters.ask(p_table text, p_journal bytea, p_moves bigint, p_meter text, p_round text, p_wanted jsonb)
    RETURNS SETOF meters.hold LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    s meters.enrolled := meters.enrolled_table(p_table, p_journal);
    m meters.meter;
    v_one record;
BEGIN
    IF s.moves < p_moves THEN
        RAISE EXCEPTION 'table % has pushed % of its % moves: the outbox comes first', p_table, s.moves, p_moves
            USING ERRCODE = 'ME003';
    END IF;
    PERFORM FROM meters.enrolment WHERE table_name = p_table AND meter = p_meter;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not enrolled at meter %', p_table, p_meter USING ERRCODE = 'ME001';
    END IF;
    SELECT * INTO m FROM meters.meter WHERE name = p_meter FOR UPDATE;
    IF meters.missing_tables(p_meter) IS NOT NULL THEN
        RAISE EXCEPTION 'meter % was restored from a copy and waits for: %', p_meter, meters.missing_tables(p_meter)
            USING ERRCODE = 'ME008', HINT = 'Open these tables, or retire them: shuffler meters retire TABLE';
    ELSIF EXISTS (SELECT FROM meters.hold WHERE meter = p_meter AND table_name = p_table AND round_id <> p_round
                     AND state IN ('waiting', 'fixed', 'claimed')) THEN
        RAISE EXCEPTION 'table % has an award of another round reserved on %', p_table, p_meter USING ERRCODE = 'ME005';
    ELSIF jsonb_array_length(p_wanted) > m.spots THEN
        RAISE EXCEPTION 'a round has at most % awards on %', m.spots, p_meter USING ERRCODE = 'ME005';
    ELSIF m.share_bp > 0 AND NOT EXISTS (
        SELECT FROM meters.ledger WHERE meter = p_meter AND table_name = p_table AND round_id = p_round
           AND kind = 'contribution') THEN
        RAISE EXCEPTION 'round % of table % has contributed nothing to %', p_round, p_table, p_meter
            USING ERRCODE = 'ME005';
    END IF;
    FOR v_one IN SELECT (value ->> 'spot')::integer AS spot, (value ->> 'nth')::bigint AS nth,
                        (value ->> 'percent')::integer AS percent
                   FROM jsonb_array_elements(p_wanted) WITH ORDINALITY AS w(value, place) ORDER BY place LOOP
        IF NOT v_one.percent = ANY (m.percents) THEN
            RAISE EXCEPTION 'no award takes % percent of meter %', v_one.percent, p_meter USING ERRCODE = 'ME005';
        END IF;
        IF NOT EXISTS (SELECT FROM meters.hold WHERE meter = p_meter AND table_name = p_table AND round_id = p_round
                          AND spot = v_one.spot AND nth = v_one.nth) THEN
            UPDATE meters.meter SET last_ticket = last_ticket + 1 WHERE name = p_meter RETURNING last_ticket
              INTO m.last_ticket;
            INSERT INTO meters.hold (meter, ticket, table_name, round_id, spot, nth, percent)
            VALUES (p_meter, m.last_ticket, p_table, p_round, v_one.spot, v_one.nth, v_one.percent);
        END IF;
    END LOOP;
    PERFORM meters.fix_next(p_meter);
    RETURN QUERY SELECT * FROM meters.hold WHERE meter = p_meter AND table_name = p_table AND round_id = p_round
                 ORDER BY ticket;
END $$;

-- --------------------------------------------------------------------------------------------- a table comes and goes

-- This server is an older copy of itself. No ticket may be given out twice, so the next ones are far above any of before,
-- and none is given out until every table has sent again what is missing here.
CREATE FUNCTION meters.mark_restored() RETURNS void LANGUAGE sql AS $$
    INSERT INTO meters.copy (identity) SELECT meters.this_copy() ON CONFLICT DO NOTHING;
    INSERT INTO meters.copy (identity) SELECT format('%s restored at %s', meters.this_copy(), clock_timestamp());
    UPDATE meters.meter SET last_ticket = last_ticket + 1000000;
    UPDATE meters.enrolled SET behind = true WHERE journal IS NOT NULL AND NOT retired;
$$;

-- A table connects: p_home is where its journal's file is, p_seq the newest record that it knows to have been here, and
-- p_claims its reservations that were fixed and are not taken yet.
CREATE FUNCTION meters.arrive(p_table text, p_journal bytea, p_home text, p_seq bigint, p_claims jsonb)
    RETURNS meters.enrolled LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    s meters.enrolled := meters.enrolled_table(p_table, p_journal);
BEGIN
    IF s.home IS NOT NULL AND s.home <> p_home THEN
        RAISE EXCEPTION 'the journal of table % is at %, and this one is at %: a copy of it', p_table, s.home, p_home
            USING ERRCODE = 'ME002', HINT = 'If the file was moved, two operators say so: shuffler meters moved TABLE';
    END IF;
    IF NOT EXISTS (SELECT FROM meters.copy WHERE identity = meters.this_copy()) THEN
        PERFORM meters.mark_restored();
        SELECT * INTO s FROM meters.enrolled WHERE table_name = p_table;
    END IF;
    IF p_seq > s.seq AND NOT s.behind THEN  -- a table's word does not make this a restored server
        RAISE EXCEPTION 'table % had sent up to record %, and this server has %', p_table, p_seq, s.seq
            USING ERRCODE = 'ME008',
            HINT = 'If it was restored from a copy of its files, an operator says so: shuffler meters restored';
    END IF;
    IF s.behind THEN
        INSERT INTO meters.hold (meter, ticket, table_name, round_id, spot, nth, percent, state, pot, left_over)
        SELECT c.meter, c.ticket, p_table, c.round_id, c.spot, c.nth, c.percent, 'claimed', c.pot, c.pot
          FROM jsonb_to_recordset(p_claims)
            AS c(meter text, ticket bigint, round_id text, spot integer, nth bigint, percent integer, pot bigint)
          JOIN meters.enrolment AS e ON e.table_name = p_table AND e.meter = c.meter
          JOIN meters.meter AS m ON m.name = c.meter AND c.ticket BETWEEN 1 AND m.last_ticket
            ON CONFLICT DO NOTHING;
    END IF;
    UPDATE meters.enrolled SET home = p_home WHERE table_name = p_table AND home IS DISTINCT FROM p_home;
    RETURN s;
END $$;

-- A table has sent all of its outbox, p_moves moves: others need not wait for it any more.
CREATE FUNCTION meters.caught_up(p_table text, p_journal bytea, p_moves bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
DECLARE
    s meters.enrolled := meters.enrolled_table(p_table, p_journal);
    v_meter text;
BEGIN
    IF s.behind AND s.moves >= p_moves
       AND NOT EXISTS (SELECT FROM meters.hold WHERE table_name = p_table AND state = 'claimed') THEN
        UPDATE meters.enrolled SET behind = false WHERE table_name = p_table;
        FOR v_meter IN SELECT meter FROM meters.enrolment WHERE table_name = p_table ORDER BY meter LOOP
            PERFORM FROM meters.meter WHERE name = v_meter FOR UPDATE;
            PERFORM meters.fix_next(v_meter);
        END LOOP;
        RETURN true;
    END IF;
    RETURN NOT s.behind;
END $$;

-- A table says that a push of its own was refused, so that whoever checks the server sees it.
CREATE FUNCTION meters.note_refusal(p_table text, p_text text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
    UPDATE meters.enrolled SET refused = left(p_text, 500), refused_at = clock_timestamp()
     WHERE table_name = p_table AND login = session_user
$$;

-- End the sessions of tables that hold a transaction open: nobody moves a meter meanwhile. Called by a table that has
-- waited for its lock in vain. A session may switch off its own time-outs, so the server looks by itself.
CREATE FUNCTION meters.unblock() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = meters, pg_temp AS $$
    SELECT count(*) FILTER (WHERE pg_terminate_backend(a.pid)) FROM pg_stat_activity AS a
     WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL
       AND pg_has_role(a.usename, 'meters_table', 'member')
       AND NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = a.usename AND r.rolsuper)
       AND (a.xact_start < clock_timestamp() - interval '30 seconds'
            OR (a.state LIKE 'idle in transaction%' AND a.state_change < clock_timestamp() - interval '5 seconds'))
$$;
