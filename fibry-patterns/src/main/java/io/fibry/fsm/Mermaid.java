package io.fibry.fsm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Writes a table as a state diagram of Mermaid. */
final class Mermaid {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");
    /** What Mermaid takes for a word of its own, whatever its case. */
    private static final Set<String> WORDS = Set.of("state", "end", "note", "as", "direction", "class",
            "classdef", "style", "default", "click", "hide", "scale", "tb", "bt", "lr", "rl", "statediagram");

    private final TransitionTable<?, ?, ?> table;
    private final Map<Object, String> ids = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>(List.of("stateDiagram-v2"));

    Mermaid(TransitionTable<?, ?, ?> table) {
        this.table = table;
    }

    String text() {
        for (var state : table.inOrder()) {
            var text = TableKeys.text(state.key());
            var isPlain = PLAIN.matcher(text).matches() && !WORDS.contains(text.toLowerCase(Locale.ROOT))
                    && !ids.containsValue(text);
            var id = isPlain ? text : "s" + ids.size() + "_";
            ids.put(state.key(), id);
            if (!isPlain) {
                add("state \"" + escaped(text) + "\" as " + id);
            }
        }
        add("[*] --> " + id(table.initial()));
        for (var state : table.inOrder()) {
            var id = id(state.key());
            for (var rule : state.rows()) {
                addRule(id, rule);
            }
            if (state.isLast()) {
                add(id + " --> [*]");
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private void addRule(String id, Rule rule) {
        var label = escaped(rule.triggerText())
                + (rule.guard() == null ? "" : " [" + escaped(rule.guardText()) + "]");
        switch (rule.target()) {
            case Target.GoTo to -> add(id + " --> " + id(to.state()) + " : " + label);
            case Target.Make made -> table.inOrder().stream()
                    .filter(state -> TableKeys.meet(state.key(), made.type()))
                    .forEach(state -> add(id + " --> " + id(state.key()) + " : " + label));
            case Target.Stay stay -> add(id + " : stays on " + label);
            case Target.Postpone postpone -> add(id + " : postpones " + label);
            case Target.Ignore ignore -> add(id + " : ignores " + label);
        }
    }

    /** Returns the name in the diagram of a state, or of a key of the table. */
    private String id(Object state) {
        var known = ids.get(state);
        if (known != null) {
            return known;
        }
        var rules = table.rulesOf(state);
        if (rules == null) {
            throw new IllegalStateException("unknown state " + state + " in a table that was checked");
        }
        return Objects.requireNonNull(ids.get(rules.key()));
    }

    /** Mermaid writes a character that has a meaning of its own as its number. */
    private static String escaped(String text) {
        var out = new StringBuilder();
        text.chars().forEach(c -> {
            if (c == '#' || c == ';' || c == ':' || c == '"' || c == '<' || c == '>' || c == '{' || c == '}'
                    || c == '%' || c < ' ') {
                out.append('#').append(c < ' ' ? ' ' : c).append(';');
            } else {
                out.append((char) c);
            }
        });
        return out.toString();
    }

    private void add(String line) {
        lines.add(lines.isEmpty() ? line : "    " + line);
    }
}
