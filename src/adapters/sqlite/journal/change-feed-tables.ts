/** SQL: the number of the last journal event; it increases even if all events are removed. */
export const lastEventNumber = `max(
  ifnull((SELECT max(number) FROM run_events), 0),
  ifnull((SELECT event FROM changes ORDER BY number DESC LIMIT 1), 0))`;

/**
 * Creates the table of changes of runs and approvals, which triggers fill. Journal events are not written twice: a change
 * has the number of the last event before it, so both together are in the order of their commits.
 */
export const changeFeedStep: string = `-- Changes of runs and approvals. The newest row is never removed, so that numbers only increase.
   CREATE TABLE changes (
     number INTEGER PRIMARY KEY,
     event INTEGER NOT NULL, -- the last journal event before it
     run INTEGER, -- the run that changed, or that the approval belongs to
     approval INTEGER,
     status TEXT NOT NULL,
     ready INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX changes_run ON changes (run) WHERE run IS NOT NULL;

   -- One row: the id of the feed, and the last event that was removed. Earlier positions cannot be read any more.
   CREATE TABLE feed (id TEXT NOT NULL, event INTEGER NOT NULL) STRICT;
   INSERT INTO feed VALUES (lower(hex(randomblob(5))), 0);

   CREATE TRIGGER run_created AFTER INSERT ON runs BEGIN
     INSERT INTO changes (event, run, status, ready) VALUES (${lastEventNumber}, NEW.number, NEW.status, NEW.ready);
   END;
   CREATE TRIGGER run_changed AFTER UPDATE OF status, ready, cancel_requested ON runs
   WHEN NEW.status <> 'pruned' AND (NEW.status <> OLD.status OR NEW.ready <> OLD.ready
     OR NEW.cancel_requested <> OLD.cancel_requested) BEGIN
     INSERT INTO changes (event, run, status, ready) VALUES (${lastEventNumber}, NEW.number, NEW.status, NEW.ready);
   END;
   CREATE TRIGGER run_pruned AFTER UPDATE OF status ON runs WHEN NEW.status = 'pruned' BEGIN
     UPDATE feed SET event = max(event, ifnull(
       (SELECT number FROM run_events WHERE run = NEW.number ORDER BY seq DESC LIMIT 1), 0));
   END;

   CREATE TRIGGER approval_created AFTER INSERT ON approvals BEGIN
     INSERT INTO changes (event, run, approval, status)
     VALUES (${lastEventNumber}, (SELECT number FROM runs WHERE id = NEW.run_id), NEW.number, NEW.status);
   END;
   CREATE TRIGGER approval_changed AFTER UPDATE OF status ON approvals WHEN NEW.status <> OLD.status BEGIN
     INSERT INTO changes (event, run, approval, status)
     VALUES (${lastEventNumber}, (SELECT number FROM runs WHERE id = NEW.run_id), NEW.number, NEW.status);
   END;`;
