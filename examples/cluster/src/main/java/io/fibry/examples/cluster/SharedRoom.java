package io.fibry.examples.cluster;

import io.fibry.ActorContext;
import io.fibry.examples.cluster.RoomCommand.Heard;
import io.fibry.examples.cluster.RoomCommand.Line;
import io.fibry.function.ContextReplyHandler;
import io.fibry.message.DeferredReply;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A chat room. Each node has one ask open here, which the next message answers. The lines are in memory alone. */
final class SharedRoom implements ContextReplyHandler<RoomCommand, Heard> {
    private static final int KEPT = 50;

    private record Listener(DeferredReply<Heard> reply, long after) {
    }

    private final String node;
    private final UUID memory = UUID.randomUUID();
    private final List<Line> lines = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private long last;

    SharedRoom(String node) {
        this.node = node;
    }

    @Override
    public Heard handle(ActorContext<RoomCommand, Heard> self, RoomCommand command) {
        switch (command) {
            case RoomCommand.Say said -> {
                lines.add(new Line(said.who(), said.text(), said.at(), said.node()));
                last++;
                if (lines.size() > KEPT) {
                    lines.removeFirst();
                }
                listeners.forEach(each -> each.reply().complete(after(each.after())));
                listeners.clear();
            }
            case RoomCommand.Listen listen -> {
                listeners.removeIf(each -> each.reply().isDone()); // whose time is over
                var after = listen.memory().equals(memory) ? listen.after() : 0;
                if (after < last || !listen.memory().equals(memory)) {
                    return after(after);
                }
                listeners.add(new Listener(self.deferReply(), after));
            }
        }
        return after(last);
    }

    private Heard after(long number) {
        var fresh = (int) Math.min(lines.size(), last - number);
        return new Heard(node, memory, last, List.copyOf(lines.subList(lines.size() - fresh, lines.size())));
    }
}
