package io.fibry.durable;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The tasks of a queue that are at work, as all its processes see them. This is the state of one key: of two
 * processes that change it at the same time, one is fenced. So the limits hold, and no task is at work twice.
 *
 * @param workers the processes that have something at work
 */
record AtWork(List<Worker> workers) {
    static final AtWork NOTHING = new AtWork(List.of());

    /**
     * A process that has something at work.
     *
     * @param id a name of this process alone
     * @param beat a number that changes while the process is alive
     * @param held what is at work
     */
    record Worker(String id, long beat, List<Held> held) {
    }

    /**
     * Something that is at work.
     *
     * @param tenant the name of its reminder
     * @param failed how many attempts had failed before
     */
    record Held(String id, String tenant, int failed) {
    }

    Stream<Held> all() {
        return workers.stream().flatMap(worker -> worker.held().stream());
    }

    /** Returns what a worker has at work. */
    List<Held> of(String worker) {
        return workers.stream().filter(each -> each.id().equals(worker)).findFirst().map(Worker::held)
                .orElse(List.of());
    }

    long ofTenant(String tenant) {
        return all().filter(held -> held.tenant().equals(tenant)).count();
    }

    boolean has(String id) {
        return all().anyMatch(held -> held.id().equals(id));
    }

    /** Gives a worker what it has at work, and a new beat. */
    AtWork with(String worker, List<Held> held) {
        long beat =
                workers.stream().filter(each -> each.id().equals(worker)).mapToLong(Worker::beat).sum() + 1;
        var others = workers.stream().filter(each -> !each.id().equals(worker));
        return new AtWork((held.isEmpty() ? others
                : Stream.concat(others, Stream.of(new Worker(worker, beat, List.copyOf(held))))).toList());
    }

    /** Gives a worker what workers had that have ended. One that is alive has another beat by now, and keeps what it has. */
    AtWork takenOver(String worker, Set<Worker> ended) {
        var gone = workers.stream().filter(ended::contains).toList();
        if (gone.isEmpty()) {
            return this;
        }
        return new AtWork(workers.stream().filter(each -> !gone.contains(each)).toList()).with(worker,
                Stream.concat(of(worker).stream(), gone.stream().flatMap(each -> each.held().stream()))
                        .toList());
    }
}
