package io.fibry.inside;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a worklist, and does what is to be done with its rows, as the handler of one actor. The id of a row is a hash of
 * what the page shows of it, so a browser can only name a row as it has seen it, also after the program was started again.
 */
final class WorklistHandler<T extends Record> implements ReplyHandler<HttpCall, HttpAnswer> {
    private static final Logger LOG = LoggerFactory.getLogger(Worklist.class);
    private static final int ROWS = 25;
    private static final int KNOWN = 500;
    private static final int LONGEST_CELL = 2_000;
    private static final int LONGEST_LINE = 200;

    private final Worklist<T> list;
    /** What was shown last, by its ids. */
    private final LinkedHashMap<String, Row<T>> known = new LinkedHashMap<>();

    WorklistHandler(Worklist<T> list) {
        this.list = list;
    }

    private record Row<T>(String id, T value, List<String> cells) {
        String name() {
            return line(cells.stream().limit(2).collect(Collectors.joining(" ")));
        }
    }

    @Override
    public HttpAnswer handle(HttpCall call) {
        return HttpAnswer
                .json(call.method().equals("POST") ? act(call) : read(call.query("after").orElse("")));
    }

    // ---- Look. ----

    private String read(String after) {
        var json = new JsonText();
        return json.object(() -> {
            json.with("title", list.title()).array("actions", list.actions().keySet(), json::value);
            var last = Optional.ofNullable(known.get(after));
            last.ifPresent(row -> known.putLast(after, row));
            json.with("first", last.isEmpty());
            try {
                write(json, rows(last.map(Row::value)));
            } catch (Exception e) {
                json.with("failed", EventLine.cause(e));
            }
        }).toString();
    }

    private List<Row<T>> rows(Optional<T> after) throws Exception {
        var rows = new ArrayList<Row<T>>();
        for (var value : list.pages().read(after, ROWS + 1).stream().limit(ROWS + 1).toList()) {
            var row = row(value);
            rows.add(row);
            known.putLast(row.id(), row);
        }
        while (known.size() > KNOWN) {
            known.pollFirstEntry();
        }
        return rows;
    }

    private void write(JsonText json, List<Row<T>> rows) {
        json.array("columns", rows.isEmpty() ? List.of()
                : Arrays.asList(rows.getFirst().value().getClass().getRecordComponents()),
                component -> json.value(component.getName()));
        json.array("rows", rows.stream().limit(ROWS).toList(),
                row -> json.object(() -> json.with("id", row.id()).array("cells", row.cells(), json::value)));
        json.with("more", rows.size() > ROWS);
    }

    private Row<T> row(T value) throws ReflectiveOperationException, GeneralSecurityException {
        var cells = new ArrayList<String>();
        for (var component : value.getClass().getRecordComponents()) {
            var accessor = component.getAccessor();
            if (!accessor.trySetAccessible()) {
                throw new IllegalStateException(value.getClass().getName()
                        + " cannot be read: open its package to io.fibry.inside, or make it public");
            }
            cells.add(cell(value, accessor));
        }
        var shown = new JsonText(); // two rows with the same text have the same cells
        shown.array(() -> cells.forEach(shown::value));
        var hash = MessageDigest.getInstance("SHA-256")
                .digest(shown.toString().getBytes(StandardCharsets.US_ASCII));
        return new Row<>(HexFormat.of().formatHex(hash), value, cells.stream()
                .map(cell -> cut(cell.replaceAll("[\\p{Cc}&&[^\n\t]]", ""), LONGEST_CELL)).toList());
    }

    /** What cannot be read leaves the rest of the row, and the other rows. */
    private static String cell(Object value, Method accessor) throws IllegalAccessException {
        try {
            return String.valueOf(accessor.invoke(value));
        } catch (InvocationTargetException e) {
            return unreadable(Objects.requireNonNullElse(e.getCause(), e));
        } catch (RuntimeException | StackOverflowError e) { // of its toString
            return unreadable(e);
        }
    }

    private static String unreadable(Throwable why) {
        return "cannot be read: " + EventLine.cause(why);
    }

    // ---- Act. ----

    private String act(HttpCall call) {
        var name = call.query("action").orElse("");
        var action = list.actions().get(name);
        var row = known.get(call.query("row").orElse(""));
        var outcome = "failed";
        String text;
        if (action == null) {
            text = "the list has no such action";
        } else if (row == null) {
            outcome = "gone";
            text = "it is not among the rows that were shown last; look again";
        } else {
            try {
                boolean isDone = action.handle(row.value());
                outcome = isDone ? "done" : "gone";
                text = isDone ? "done" : "not there any more";
            } catch (Throwable e) { // also an interrupt: this actor is being stopped
                text = "failed: " + EventLine.cause(e);
            }
        }
        var what = row == null ? "a row" : row.name();
        LOG.info("{} asked in the list '{}' for '{}' of '{}': {}",
                call.remoteAddress(), list, line(name), what, line(text));
        return outcome(outcome, name + " " + what + ": " + text);
    }

    /** Logs that an action is late, and returns the answer. Called by any thread. */
    static HttpProblem late(HttpCall call, long list, HttpProblem late) {
        var text = "not done within 10 s, but it may still be";
        LOG.info("{} asked in list {} for '{}': {}", call.remoteAddress(), list,
                line(call.query("action").orElse("")), text);
        return new HttpProblem(late.status(), text + ": the list and the log show it", late);
    }

    private static String outcome(String outcome, String text) {
        var json = new JsonText();
        return json.object(() -> json.with("outcome", outcome).with("text", text)).toString();
    }

    /** Returns a text that stays in its line of the log, whatever it has. */
    private static String line(String text) {
        return cut(text.replaceAll("[\\p{C}\\p{Z}]+", " ").strip(), LONGEST_LINE);
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + " …";
    }
}
