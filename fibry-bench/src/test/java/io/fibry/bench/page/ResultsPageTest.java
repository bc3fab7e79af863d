package io.fibry.bench.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.report.Article;
import io.fibry.bench.report.Results;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Sample;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Section;
import io.fibry.bench.report.Unit;
import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ResultsPageTest {
    private static final Row FIBRY = new Row("in pairs", "Fibry, fibers", Unit.lower("ns/ask"),
            Samples.of(50, 40, 80), "<= 60", new Article(100, "4 & 5"), "");
    private static final Results RESULTS = Sample.results(Sample.section("ask", FIBRY,
            Sample.row("Apache Pekko", 90, 100, 110), Sample.row("<b>by hand</b>", 20)),
            new Section("ring", "w", "c", 1, "lost 3 & more", List.of("a note"), List.of()));

    /** The page is written so that a parser of XML takes it, but for its first and its void elements. */
    private static Document parsed(String markup) throws Exception {
        var xml = markup.replace("<!DOCTYPE html>\n", "").replaceAll("<meta ([^>]*)>", "<meta $1/>");
        return parser().parse(new InputSource(new StringReader(xml)));
    }

    private static DocumentBuilder parser() throws ParserConfigurationException {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder();
    }

    private static Stream<Element> elements(Document page, String name) {
        NodeList found = page.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
    }

    @Test
    void eachSectionHasAPictureAndATable() throws Exception {
        var page = parsed(ResultsPage.of(RESULTS));

        assertThat(elements(page, "section").map(each -> each.getAttribute("id"))).containsExactly("ask",
                "ring");
        assertThat(elements(page, "nav").flatMap(nav -> elements(page, "a")).map(a -> a.getAttribute("href")))
                .containsExactly("#ask", "#ring");
        assertThat(elements(page, "table")).hasSize(1);
        assertThat(
                elements(page, "tr").map(Element::getTextContent).map(text -> text.replaceAll("\\s+", " ")))
                .containsExactly("peermedianmin – maxMADnmust bearticle", "in pairs",
                        "Fibry, fibers50.040.0 – 80.010.03<= 60 ✓100 (4 & 5)",
                        "Apache Pekko10090.0 – 11010.03", "<b>by hand</b>20.01");
    }

    @Test
    void picturesSayInWordsWhatTheyShow() throws Exception {
        var pictures =
                elements(parsed(ResultsPage.of(RESULTS)), "svg").filter(svg -> svg.hasAttribute("role"))
                        .toList();

        assertThat(pictures).singleElement().satisfies(svg -> {
            assertThat(svg.getAttribute("role")).isEqualTo("img");
            assertThat(svg.getAttribute("aria-label")).isEqualTo("ask: in pairs, Fibry, fibers 50.0 ns/ask; "
                    + "in pairs, Apache Pekko 100 ns/ask; in pairs, <b>by hand</b> 20.0 ns/ask");
        });
    }

    @Test
    void barsAreAsLongAsMediansAndWhiskersReachFromMinToMax() throws Exception {
        var chart = parsed(Chart.of("ask", List.of(FIBRY, Sample.row("Apache Pekko", 90, 100, 110))));

        var widths =
                elements(chart, "rect").map(bar -> Double.parseDouble(bar.getAttribute("width"))).toList();
        assertThat(widths.get(1) / widths.get(0)).isBetween(1.99, 2.01);
        var left = 262;
        var perUnit = widths.get(0) / 50;
        var whisker = elements(chart, "path").filter(path -> path.getAttribute("class").equals("whisker"))
                .map(path -> path.getAttribute("d")).findFirst().orElseThrow().split("[^0-9.]+");
        assertThat(Double.parseDouble(whisker[1])).isCloseTo(left + 40 * perUnit, Offset.offset(0.2));
        assertThat(Double.parseDouble(whisker[3])).isCloseTo(left + 80 * perUnit, Offset.offset(0.2));
        assertThat(elements(chart, "path").map(path -> path.getAttribute("class")))
                .containsExactly("whisker", "article", "limit", "whisker");
    }

    @Test
    void valuesThatDifferWidelyAreShownByTheirLogarithm() {
        var scale = Scale.of(List.of(Sample.row("a", 10), Sample.row("b", 1_000)));

        assertThat(scale.isLogarithmic()).isTrue();
        assertThat(scale.place(100) - scale.place(10)).isCloseTo(scale.place(1_000) - scale.place(100),
                Offset.offset(1e-9));
        assertThat(scale.ticks()).contains(10.0, 100.0, 1_000.0).allMatch(tick -> scale.place(tick) <= 1);
        assertThat(Scale.of(List.of(Sample.row("a", 10), Sample.row("b", 100))).isLogarithmic()).isFalse();
    }

    @Test
    void nothingInTheResultsBecomesMarkup() {
        var page = ResultsPage.of(RESULTS);

        assertThat(page)
                .contains("&lt;b&gt;by hand&lt;/b&gt;", "&lt;Fast&gt; &amp; &quot;Co&quot; &#36;{sections}")
                .doesNotContain("<b>by hand", "<Fast>", "${");
    }

    @Test
    void thePageNeedsNothingFromElsewhere() {
        assertThat(ResultsPage.of(RESULTS)).doesNotContain("http:", "https:", "src=", "@import", "url(")
                .contains("prefers-color-scheme: dark");
    }

    @Test
    void whatFailedIsSaidFirst() throws Exception {
        var page = parsed(ResultsPage.of(RESULTS));

        assertThat(elements(page, "p").filter(p -> p.getAttribute("class").equals("failure"))
                .map(Element::getTextContent)).containsExactly("Failed: ring", "Failed: lost 3 & more");
        assertThat(elements(page, "li").map(Element::getTextContent)).contains("a note");
    }

    @Test
    void theSummaryHasTheFirstOfEachKind() throws Exception {
        var svg = parsed(Summary.of(Sample.results(
                Sample.section("ask", FIBRY, Sample.row("Fibry, runByCallers", 9),
                        Sample.row("virtual thread", 60), Sample.row("thread", 50),
                        Sample.row("Apache Pekko", 100)),
                Sample.section("ring", FIBRY),
                Sample.section("sleepers", FIBRY))));

        assertThat(elements(svg, "rect").skip(1)).hasSize(3);
        assertThat(elements(svg, "desc").findFirst().orElseThrow().getTextContent()).isEqualTo(
                "ask, in pairs, Fibry, fibers: 50.0 ns/ask; ask, in pairs, Apache Pekko: 100 ns/ask; "
                        + "ask, in pairs, virtual thread: 60.0 ns/ask");
        assertThat(elements(svg, "style").findFirst().orElseThrow().getTextContent())
                .contains("prefers-color-scheme: dark");
    }

    @Test
    void theSummaryHasTheCaseWithFreshMessages() throws Exception {
        var shared = Sample.row("Fibry, fibers", 5);
        var fresh = new Row("1 to 1, a fresh message each", "Fibry, fibers", shared.unit(), Samples.of(7));
        var svg = parsed(
                Summary.of(Sample.results(Sample.section("flood", shared, Sample.row("Apache Pekko", 9),
                        fresh, new Row(fresh.group(), "Apache Pekko", shared.unit(), Samples.of(8))))));

        assertThat(elements(svg, "desc").findFirst().orElseThrow().getTextContent()).isEqualTo(
                "flood, 1 to 1, a fresh message each, Fibry, fibers: 7.00 ns/ask; "
                        + "flood, 1 to 1, a fresh message each, Apache Pekko: 8.00 ns/ask");
    }

    @Test
    void aSummaryOfNothingIsAPictureAllTheSame() throws Exception {
        assertThat(elements(parsed(Summary.of(Sample.results())), "desc").map(Element::getTextContent))
                .containsExactly("no results");
    }
}
