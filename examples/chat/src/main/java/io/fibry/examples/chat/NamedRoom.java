package io.fibry.examples.chat;

import io.fibry.topic.ChatEvent;
import io.fibry.topic.ChatMember;
import io.fibry.topic.ChatRoom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** A room in which no two people have one name: the second Ann is "Ann 2". Several threads may use it. */
final class NamedRoom {
    private final ChatRoom<ChatLine> room;
    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    NamedRoom(ChatRoom<ChatLine> room) {
        this.room = room;
    }

    /** Adds a member under the wanted name, or one that is like it. The name is free again when the member has left. */
    ChatMember<ChatLine> join(String wanted, Function<String, Consumer<ChatEvent<ChatLine>>> page) {
        var name = take(wanted);
        var member = room.join(name, page.apply(name)::accept);
        var unused = member.onLeft().thenRun(() -> taken.remove(name));
        return member;
    }

    private String take(String wanted) {
        var name = wanted;
        for (int n = 2; !taken.add(name); n++) {
            name = wanted + " " + n;
        }
        return name;
    }
}
