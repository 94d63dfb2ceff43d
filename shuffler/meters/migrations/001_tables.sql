-- Shared meters. Money is whole cents. The ledger is only ever added to, and the meter's balances follow it: a trigger
-- applies each statement's rows, and CHECK constraints hold whoever writes, by whatever program.

CREATE TABLE meters.meter (
    name        text    PRIMARY KEY CONSTRAINT meter_name CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    wager       text    NOT NULL CHECK (wager IN ('progressive', 'bad_beat')),
    denomination bigint NOT NULL CHECK (denomination > 0),       -- of one wager
    spots       integer NOT NULL CHECK (spots BETWEEN 1 AND 99), -- at most, at each table
    seed        bigint  NOT NULL CHECK (seed > 0),
    share_bp    integer NOT NULL CHECK (share_bp BETWEEN 0 AND 10000),
    reserve_bp  integer NOT NULL DEFAULT 0 CHECK (reserve_bp BETWEEN 0 AND 10000),
    cap         bigint  CONSTRAINT cap_not_below_seed CHECK (cap >= seed),
    rounding    text    NOT NULL DEFAULT 'down' CHECK (rounding IN ('down', 'nearest', 'up')),
    percents    integer[] NOT NULL DEFAULT '{100}',
    award_order text    NOT NULL DEFAULT 'round' CHECK (award_order IN ('round', 'asked')),
    -- what follows is derived from the ledger and from the holds
    version     bigint  NOT NULL DEFAULT 0,   -- the number of the newest row of the ledger
    amount      bigint  NOT NULL DEFAULT 0,
    reserve     bigint  NOT NULL DEFAULT 0,
    floor       bigint  NOT NULL DEFAULT 0,   -- the seed, or what awards by percentage left of it
    held        bigint  NOT NULL DEFAULT 0,   -- of the prize that is fixed and not taken yet
    last_ticket bigint  NOT NULL DEFAULT 0,
    CONSTRAINT meter_not_negative        CHECK (amount >= 0 AND reserve >= 0 AND floor >= 0 AND held >= 0),
    CONSTRAINT meter_not_below_its_floor CHECK (amount >= floor),
    CONSTRAINT floor_is_the_seed         CHECK (floor <= seed AND (version = 0 OR floor = seed OR percents <> '{100}')),
    CONSTRAINT held_is_there             CHECK (held <= amount),
    CONSTRAINT meter_within_its_cap      CHECK (cap IS NULL OR amount <= cap)
);

CREATE TABLE meters.enrolled (
    table_name text    PRIMARY KEY CONSTRAINT table_name CHECK (table_name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    login      name    NOT NULL,              -- the only role that may push for it
    journal    bytea,                         -- the instance of its journal, from the first push on
    home       text,                          -- where that journal's file is: a copy of it is somewhere else
    seq        bigint  NOT NULL DEFAULT 0,    -- the newest record of its journal that is in here, and
    hash       bytea   NOT NULL DEFAULT '',   -- that record's hash
    moves      bigint  NOT NULL DEFAULT 0,    -- the newest move of its outbox
    pushed_at  timestamptz,
    confirmed_at timestamptz,                 -- when its newest push was known to be on the disk
    behind     boolean NOT NULL DEFAULT false, -- has not yet sent again what a restored server lacks
    retired    boolean NOT NULL DEFAULT false,
    refused    text,                          -- why its newest push was refused; NULL once one was taken
    refused_at timestamptz,
    enrolled_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE meters.enrolment (
    table_name   text   NOT NULL REFERENCES meters.enrolled,
    meter        text   NOT NULL REFERENCES meters.meter,
    told         bigint NOT NULL DEFAULT 0,   -- the sum of all that its books told
    told_reserve bigint NOT NULL DEFAULT 0,
    transfer_limit bigint NOT NULL DEFAULT 0 CHECK (transfer_limit >= 0), -- what its own meter may bring along
    PRIMARY KEY (table_name, meter)
);

CREATE TABLE meters.ledger (
    meter          text    NOT NULL,              -- one of meters.meter: `apply_rows` refuses any other
    number         bigint  NOT NULL CHECK (number > 0),
    kind           text    NOT NULL CHECK (kind IN ('seed', 'reset', 'transfer', 'contribution', 'award', 'back-out',
                                                    'void', 'correction', 'release')),
    table_name     text    NOT NULL DEFAULT '',   -- '' where no table did it
    round_id       text    NOT NULL DEFAULT '',
    spot           integer NOT NULL DEFAULT 0,
    nth            bigint  NOT NULL,
    told           bigint  NOT NULL,              -- as the table's books have it
    told_reserve   bigint  NOT NULL DEFAULT 0,
    change         bigint  NOT NULL,              -- as the meter moved
    reserve_change bigint  NOT NULL DEFAULT 0,
    amount         bigint  NOT NULL CHECK (amount >= 0),    -- after it
    reserve        bigint  NOT NULL CHECK (reserve >= 0),
    floor          bigint  NOT NULL CHECK (floor >= 0),
    ticket         bigint,
    proposed_by    text,
    approved_by    text,
    reason         text,
    login          name        NOT NULL DEFAULT session_user,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (meter, number),
    CONSTRAINT once_by_key UNIQUE (meter, table_name, round_id, spot, kind, nth),
    CONSTRAINT nobody_takes_more_than_told CHECK (change + reserve_change >= told + told_reserve),
    CONSTRAINT two_people CHECK (table_name <> '' OR kind NOT IN ('correction', 'release')
        OR (coalesce(proposed_by, '') <> '' AND coalesce(approved_by, '') <> '' AND proposed_by <> approved_by
            AND coalesce(reason, '') <> ''))
);

CREATE TABLE meters.hold (
    meter      text    NOT NULL REFERENCES meters.meter,
    ticket     bigint  NOT NULL CHECK (ticket > 0),   -- the order of asking
    table_name text    NOT NULL REFERENCES meters.enrolled,
    round_id   text    NOT NULL,
    spot       integer NOT NULL,
    nth        bigint  NOT NULL,
    percent    integer NOT NULL CHECK (percent BETWEEN 1 AND 100),
    state      text    NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'fixed', 'taken', 'released', 'claimed')),
    -- claimed: fixed by the server before it was restored from a copy that does not know of it
    pot        bigint  NOT NULL DEFAULT 0 CHECK (pot >= 0),
    left_over  bigint  NOT NULL DEFAULT 0 CHECK (left_over BETWEEN 0 AND pot),
    version    bigint  NOT NULL DEFAULT 0,            -- the meter's, when the prize was fixed
    amount     bigint  NOT NULL DEFAULT 0,
    reserve    bigint  NOT NULL DEFAULT 0,
    floor      bigint  NOT NULL DEFAULT 0,
    asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    fixed_at   timestamptz,
    ended_at   timestamptz,
    PRIMARY KEY (meter, ticket),
    CONSTRAINT once_by_award UNIQUE (meter, table_name, round_id, spot, nth)
);
CREATE UNIQUE INDEX one_award_at_a_time ON meters.hold (meter) WHERE state = 'fixed';
CREATE INDEX open_holds ON meters.hold (meter, ticket) WHERE state IN ('waiting', 'fixed');

-- What takes two people: a correction of a meter, the release of a ticket, a table that will not come back, a journal
-- whose file was moved.
CREATE TABLE meters.proposal (
    number      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text    NOT NULL CHECK (kind IN ('correction', 'release', 'retire', 'moved')),
    meter       text    REFERENCES meters.meter,
    table_name  text    REFERENCES meters.enrolled,
    change      bigint  NOT NULL DEFAULT 0,
    ticket      bigint,
    reason      text    NOT NULL CHECK (reason <> ''),
    proposed_by text    NOT NULL CHECK (proposed_by <> ''),
    login       name    NOT NULL DEFAULT session_user,
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    approved_by text,
    approved_at timestamptz,
    CONSTRAINT not_the_same_person CHECK (approved_by IS NULL OR approved_by <> proposed_by),
    CONSTRAINT complete CHECK (CASE kind WHEN 'correction' THEN meter IS NOT NULL AND change <> 0
                                         WHEN 'release' THEN meter IS NOT NULL AND ticket IS NOT NULL
                                         ELSE table_name IS NOT NULL END)
);

-- Every copy of this database that tables have been served from. A restored dump has other object numbers, a recovered
-- cluster another timeline; a copy of the files is the same to the server, and an operator says that it was restored.
CREATE TABLE meters.copy (
    identity   text        PRIMARY KEY,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One move of a table's outbox, as its journal has it.
CREATE TYPE meters.moved AS (
    number bigint, meter text, round_id text, spot integer, kind text, nth bigint, change bigint, reserve_change bigint,
    prize bigint, seed bigint, from_reserve bigint, ticket bigint
);

CREATE FUNCTION meters.this_copy() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('%s/%s/%s', system_identifier, timeline_id, 'meters.ledger'::regclass::oid)
      FROM pg_control_system(), pg_control_checkpoint()
$$;
INSERT INTO meters.copy (identity) SELECT meters.this_copy();

-- --------------------------------------------------------------------------------------------- the ledger is added to

CREATE FUNCTION meters.never() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'meters.% is only ever added to', TG_TABLE_NAME USING ERRCODE = 'ME100';
END $$;

CREATE TRIGGER ledger_is_kept BEFORE UPDATE OR DELETE ON meters.ledger FOR EACH ROW EXECUTE FUNCTION meters.never();
CREATE TRIGGER ledger_is_not_emptied BEFORE TRUNCATE ON meters.ledger EXECUTE FUNCTION meters.never();
CREATE TRIGGER meters_are_kept BEFORE DELETE ON meters.meter FOR EACH ROW EXECUTE FUNCTION meters.never();
CREATE TRIGGER holds_are_kept BEFORE DELETE ON meters.hold FOR EACH ROW EXECUTE FUNCTION meters.never();

-- All rows of one statement at once, so that an award and the restart that follows it are one move of the meter.
CREATE FUNCTION meters.apply_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    batch record;
BEGIN
    FOR batch IN
        SELECT meter, min(number) AS first, max(number) AS last, count(*) AS rows, sum(change)::bigint AS change,
               sum(reserve_change)::bigint AS reserve_change
          FROM added GROUP BY meter ORDER BY meter
    LOOP
        IF EXISTS (
            SELECT FROM (SELECT amount - lag(amount) OVER w - change AS step,
                                reserve - lag(reserve) OVER w - reserve_change AS reserve_step
                           FROM added WHERE meter = batch.meter WINDOW w AS (ORDER BY number)) AS steps
             WHERE step <> 0 OR reserve_step <> 0
        ) THEN
            RAISE EXCEPTION 'the rows do not follow from one another' USING ERRCODE = 'ME101';
        END IF;
        UPDATE meters.meter AS m
           SET version = batch.last, amount = m.amount + batch.change, reserve = m.reserve + batch.reserve_change,
               floor = (SELECT a.floor FROM added AS a WHERE a.meter = batch.meter AND a.number = batch.last)
         WHERE m.name = batch.meter AND m.version = batch.first - 1 AND batch.rows = batch.last - batch.first + 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the rows do not follow the newest row of %', batch.meter USING ERRCODE = 'ME101';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER ledger_moves_the_meter AFTER INSERT ON meters.ledger REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION meters.apply_rows();

-- Whoever changes a balance: it is what the newest row of the ledger says, or it is refused.
CREATE FUNCTION meters.balance_follows_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.amount, NEW.reserve, NEW.floor, NEW.version) IS DISTINCT FROM
       (OLD.amount, OLD.reserve, OLD.floor, OLD.version)
       AND NOT EXISTS (
        SELECT FROM meters.ledger AS l WHERE l.meter = NEW.name AND l.number = NEW.version
           AND (l.amount, l.reserve, l.floor) = (NEW.amount, NEW.reserve, NEW.floor)) THEN
        RAISE EXCEPTION 'the balance of % is not what its ledger says', NEW.name USING ERRCODE = 'ME102';
    END IF;
    IF NEW.seed <> OLD.seed OR NEW.name <> OLD.name THEN
        RAISE EXCEPTION 'a meter keeps its name and seed' USING ERRCODE = 'ME102';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER meter_follows_ledger BEFORE UPDATE ON meters.meter
    FOR EACH ROW EXECUTE FUNCTION meters.balance_follows_ledger();
