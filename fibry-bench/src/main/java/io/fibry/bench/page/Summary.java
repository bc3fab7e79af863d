package io.fibry.bench.page;

import static io.fibry.bench.page.Markup.at;
import static io.fibry.bench.page.Markup.escape;
import static io.fibry.bench.page.Markup.fill;

import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Results;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Section;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A small picture for README: a case of each main experiment, and the first line of each kind of peer, which has the
 * peer's default strategy. The last case is one that others win.
 */
public final class Summary {
    /** The experiments, and what the name of the case contains; the first case stands in for one that is not there. */
    private static final Map<String, String> CASES = cases();
    private static final int COLUMNS = 2;
    private static final int PANEL_WIDTH = 420;
    private static final int LABELS = 110;
    private static final int BARS = 210;
    private static final int STEP = 19;
    private static final int TOP = 44;

    private Summary() {
    }

    private static Map<String, String> cases() {
        var cases = new LinkedHashMap<String, String>();
        for (var name : List.of("create", "ask", "tell", "ring", "flood", "skynet", "patterns")) {
            cases.put(name, name.equals("flood") ? "a fresh message each" : "");
        }
        return cases;
    }

    /** A case and the rows to show of it. */
    private record Panel(Section section, String group, List<Row> rows) {
    }

    /**
     * Draws the picture.
     *
     * @param results the results to draw
     * @return the SVG, with its own style for light and dark
     */
    public static String of(Results results) {
        var panels = CASES.entrySet().stream().flatMap(each -> results.sections().stream()
                .filter(section -> section.name().equals(each.getKey()))
                .flatMap(section -> panel(section, each.getValue()))).toList();
        var drawn = new StringBuilder();
        var y = 40;
        for (int i = 0; i < panels.size(); i += COLUMNS) {
            var line = panels.subList(i, Math.min(i + COLUMNS, panels.size()));
            for (int column = 0; column < line.size(); column++) {
                drawn.append(draw(line.get(column), 12 + column * PANEL_WIDTH, y));
            }
            y += TOP + 18 + STEP * line.stream().mapToInt(panel -> panel.rows.size()).max().orElse(0);
        }
        return fill(Markup.resource("summary.svg"), "height", y + 22, "below", y + 8, "panels", drawn,
                "style", Markup.resource("colours.css"), "words", escape(words(panels)),
                "machine", escape(machine(results)));
    }

    private static String machine(Results results) {
        return Stream.of("cpu", "cores", "jdk", "time").filter(results.machine()::containsKey)
                .map(name -> (name.equals("jdk") ? "JDK " : "") + results.machine().get(name)
                        + (name.equals("cores") ? " cores" : ""))
                .collect(Collectors.joining(", ")) + (results.warning().isEmpty() ? "" : " — quick, rough");
    }

    private static String words(List<Panel> panels) {
        return panels.isEmpty() ? "no results" : panels.stream().flatMap(panel -> panel.rows.stream().map(
                row -> "%s, %s: %s %s".formatted(panel.section.name(), row.subject(),
                        Figures.number(row.samples().median()), row.unit().name())))
                .collect(Collectors.joining("; "));
    }

    private static Stream<Panel> panel(Section section, String wanted) {
        var ours = section.rows().stream().filter(row -> Family.of(row.peer()) == Family.FIBRY).toList();
        return ours.stream().filter(row -> row.group().contains(wanted)).findFirst()
                .or(() -> ours.stream().findFirst()).map(first -> {
                    var shown = new EnumMap<Family, Row>(Family.class);
                    section.rows().stream()
                            .filter(row -> row.group().equals(first.group())
                                    && row.unit().equals(first.unit()))
                            .forEach(row -> shown.putIfAbsent(Family.of(row.peer()), row));
                    return new Panel(section, first.group(), List.copyOf(shown.values()));
                }).stream().filter(panel -> panel.rows.size() > 1);
    }

    private static String draw(Panel panel, int x, int y) {
        var unit = panel.rows.getFirst().unit();
        var most = panel.rows.stream().mapToDouble(row -> row.samples().median()).max().orElseThrow();
        var text = new StringBuilder(fill("""
                <g transform="translate(${x} ${y})">
                <text class="group" x="0" y="14">${title}</text><text class="unit" x="0" y="30">${unit}</text>
                """, "x", x, "y", y, "unit", escape(unit.name() + ", " + unit.hint()), "title",
                escape(panel.section.name() + (panel.group.isEmpty() ? "" : ": " + panel.group))));
        for (int i = 0; i < panel.rows.size(); i++) {
            var row = panel.rows.get(i);
            var family = Family.of(row.peer());
            var width = Math.max(1, BARS * row.samples().median() / most);
            text.append(
                    fill("""
                            <g class="${family}"><title>${peer}</title>\
                            <text class="peer" x="${label}" y="${text}">${name}\
                            </text><rect x="${left}" y="${y}" width="${width}" height="12" rx="2"/>\
                            <text class="value" x="${end}" y="${text}">${value}</text></g>
                            """,
                            "family", family.style(), "label", LABELS - 8, "text", TOP + i * STEP + 10,
                            "left", LABELS,
                            "y", TOP + i * STEP, "width", at(width), "end", at(LABELS + width + 6), "name",
                            escape(family.title), "peer", escape(row.peer()), "value",
                            Figures.number(row.samples().median())));
        }
        return text.append("</g>\n").toString();
    }
}
