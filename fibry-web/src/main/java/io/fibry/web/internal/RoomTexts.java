package io.fibry.web.internal;

import io.fibry.net.HttpEvent;
import io.fibry.net.HttpJson;
import io.fibry.topic.ChatEvent;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The events of a room as JSON. What all clients are told is written once, as long as they are told about the same time.
 * The ids of messages begin with a random text, so that an id of another room, or of the time before a restart, is not
 * taken for one of this room.
 */
final class RoomTexts {
    private static final int RADIX = 36;

    /** An event and its text. */
    private record Written(ChatEvent<?> event, String text) {
    }

    private final HttpJson json;
    private final String epoch = Integer.toString(new SecureRandom().nextInt(Integer.MAX_VALUE), RADIX) + "-";
    /** Written by any member, and read by others; any value is right. */
    private volatile @Nullable Written latest;

    RoomTexts(HttpJson json) {
        this.json = json;
    }

    /** Returns the number in an id of this room; empty if it is none. */
    OptionalLong number(String id) {
        var digits = id.startsWith(epoch) ? id.substring(epoch.length()) : "";
        return digits.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(digits)) : OptionalLong.empty();
    }

    HttpEvent said(ChatEvent.Said<?> said) {
        return HttpEvent.of(shared(said)).id(epoch + said.number());
    }

    HttpEvent joined(ChatEvent.Joined<?> joined) {
        return HttpEvent.of(shared(joined));
    }

    HttpEvent left(ChatEvent.Left<?> left) {
        return HttpEvent.of(shared(left));
    }

    /** What a member is told first of itself. */
    HttpEvent arrived(String member, List<String> here, boolean presence) {
        var parts = parts("joined", member);
        if (presence) {
            parts.put("members", here.size());
            parts.put("here", here);
        }
        return HttpEvent.of(json.text(parts));
    }

    HttpEvent missed(long messages) {
        var parts = new LinkedHashMap<String, Object>();
        parts.put("event", "missed");
        parts.put("messages", messages);
        return HttpEvent.of(json.text(parts));
    }

    private String shared(ChatEvent<?> event) {
        var known = latest;
        if (known != null && known.event == event) {
            return known.text;
        }
        var text = json.text(parts(event));
        latest = new Written(event, text);
        return text;
    }

    private Map<String, Object> parts(ChatEvent<?> event) {
        return switch (event) {
            case ChatEvent.Said<?> said -> {
                var parts = parts("said", said.member());
                parts.put("id", epoch + said.number());
                parts.put("message", said.message());
                yield parts;
            }
            case ChatEvent.Joined<?> joined -> {
                var parts = parts("joined", joined.member());
                parts.put("members", joined.here().size());
                yield parts;
            }
            case ChatEvent.Left<?> left -> {
                var parts = parts("left", left.member());
                parts.put("members", left.here().size());
                yield parts;
            }
            case ChatEvent.Welcome<?> welcome -> Map.of();
        };
    }

    private static Map<String, Object> parts(String event, String member) {
        var parts = new LinkedHashMap<String, Object>();
        parts.put("event", event);
        parts.put("member", member);
        return parts;
    }
}
