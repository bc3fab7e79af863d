package io.fibry.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The rows of the tables of a document whose first column is {@code field}. That column holds, and nothing else:
 *
 * <ul>
 * <li>{@code `Class.field`}, and after a comma further fields, each {@code `Class.field`} or, of the class named last,
 * {@code `field`};
 * <li>{@code `Class` itself}: a class that extends one of {@code java.util.concurrent};
 * <li>{@code other fields of `Class`, `Class`}: all that have no row of their own and are not shared.
 * </ul>
 *
 * A nested class is {@code Outer.Inner}; a package stands before a class as in {@link SharedFields}. Fields begin with a small letter or are constants, classes with a capital.
 */
final class FieldTable {
    private static final Pattern CELLS = Pattern.compile("(?<!\\\\)\\|");
    private static final String NAME = "`[\\w.]+`";
    private static final Pattern FIELDS = Pattern.compile(NAME + "(?:, " + NAME + ")*");
    private static final String CLASS = "((?:[a-z]+\\.)*[A-Z]\\w*(?:\\.[A-Z]\\w*)*)";
    private static final Pattern ITSELF = Pattern.compile("`" + CLASS + "` itself");
    private static final Pattern OTHERS =
            Pattern.compile("other fields of (" + NAME + "(?:, " + NAME + ")*)");
    private static final Pattern FIELD = Pattern.compile(CLASS + "\\.([a-z]\\w*|[A-Z][A-Z_]*)");

    private final List<Row> rows = new ArrayList<>();
    private final List<String> mistakes = new ArrayList<>();

    /** A row: what it is about, and how that is accessed. */
    record Row(Kind kind, List<Field> fields, String how, String text) {
    }

    enum Kind {
        FIELDS, ITSELF, OTHERS
    }

    /** A field; its name is empty where a row is about a class. */
    record Field(String className, String name) {
        @Override
        public String toString() {
            return name.isEmpty() ? className : className + "." + name;
        }
    }

    /** Reads a document. */
    static FieldTable of(Path document) throws IOException {
        var table = new FieldTable();
        var isInside = false;
        for (var line : Files.readAllLines(document)) {
            if (!line.startsWith("|")) {
                isInside = false;
            } else if (line.startsWith("| field |")) {
                isInside = true;
            } else if (isInside && !line.startsWith("|---")) {
                table.add(line);
            }
        }
        return table;
    }

    List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Rows that cannot be read. */
    List<String> mistakes() {
        return List.copyOf(mistakes);
    }

    private void add(String line) {
        var cells = CELLS.split(line, -1);
        if (cells.length != 7) {
            mistakes.add("not five columns: " + line);
            return;
        }
        var what = cells[1].strip();
        var how = cells[4].strip();
        var itself = ITSELF.matcher(what);
        var others = OTHERS.matcher(what);
        if (itself.matches()) {
            rows.add(new Row(Kind.ITSELF, List.of(new Field(itself.group(1), "")), how, line));
        } else if (others.matches()) {
            rows.add(new Row(Kind.OTHERS,
                    names(others.group(1)).map(name -> new Field(name, "")).toList(), how, line));
        } else if (FIELDS.matcher(what).matches()) {
            addFields(what, how, line);
        } else {
            mistakes.add("no field, `Class` itself or other fields of `Class`: " + line);
        }
    }

    private static Stream<String> names(String list) {
        return Pattern.compile(", ").splitAsStream(list).map(name -> name.substring(1, name.length() - 1));
    }

    private void addFields(String what, String how, String line) {
        var fields = new ArrayList<Field>();
        var className = "";
        for (var name : names(what).toList()) {
            var whole = FIELD.matcher(className.isEmpty() || name.contains(".")
                    ? name
                    : className + "." + name);
            if (!whole.matches()) {
                mistakes.add(name + " is no field: " + line);
                return;
            }
            className = whole.group(1);
            fields.add(new Field(className, whole.group(2)));
        }
        rows.add(new Row(Kind.FIELDS, fields, how, line));
    }
}
