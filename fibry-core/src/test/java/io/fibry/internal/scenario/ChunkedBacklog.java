package io.fibry.internal.scenario;

import java.util.List;

/**
 * Threads send to an actor whose mailbox is about to get a chunk, has one, or has one that is almost full. The actor
 * becomes idle in between, is stopped, or becomes idle for good.
 */
final class ChunkedBacklog implements Scenario {
    @Override
    public String name() {
        return "chunked-backlog";
    }

    @Override
    public List<String> sometimes() {
        return List.of("another turn",
                "one turn for two messages",
                "lost: STOPPED",
                "lost: STOPPED_BEFORE_TURN",
                "a stop was forced",
                "all were handled");
    }

    @Override
    public void play(Play play) {
        var backlog = new Backlog(play);
        var subject = new Subject(play).make(play.anonymous(), (context, message) -> backlog.mayInterrupt());
        var sent = backlog.send(subject, subject::ask, () -> {
        });
        if (!backlog.mayStop(subject)) {
            backlog.demandAll(subject, sent);
        }
    }
}
